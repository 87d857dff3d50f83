"""A user's own BPF objects: what they hold, what a test run of theirs takes, and where they run."""
