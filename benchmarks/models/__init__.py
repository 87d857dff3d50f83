"""Models held against runs: what they are off by, what they take, and how runs are chosen."""
