"""A user's own BPF object, the frames that it gets, and what its maps hold."""
