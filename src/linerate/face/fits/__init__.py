"""Whether a user's own program sustains line rate: one module for each kind of program."""
