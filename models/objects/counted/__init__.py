"""A program that is counted and not run: what its instructions and calls take."""
