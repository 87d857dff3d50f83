"""A campaign as one file that others can check: all that it rests on, with hashes."""
