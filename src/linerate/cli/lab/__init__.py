"""The machine: what it can do, how it is set, and what is measured on it."""
