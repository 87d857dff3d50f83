"""Searches for the load that a device carries: pure procedures over a callable that runs trials."""
