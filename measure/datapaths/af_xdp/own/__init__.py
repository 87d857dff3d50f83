"""Packet functions of the user's own on AF_XDP sockets."""
