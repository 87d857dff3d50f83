"""Tables of runs: their columns, and how they are read and written."""
