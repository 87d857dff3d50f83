"""Whether a trial that others disturbed is ever believed, and one that nobody disturbed doubted."""
