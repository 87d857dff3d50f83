"""A user-space forwarder on AF_XDP sockets."""
