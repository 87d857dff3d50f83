"""What hooks and operations cost on this machine, measured and kept."""
