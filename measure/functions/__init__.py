"""Packet functions in user space: shared objects of the user's own."""
