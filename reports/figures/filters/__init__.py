"""What each subsystem of the kernel drops, and what a ping sees meanwhile."""
