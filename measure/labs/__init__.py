"""Places where packets run."""
