"""One trial: what it counted, and whether it can be believed."""
