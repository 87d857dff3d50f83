"""linerate's own generator on DPDK: of a card, or by packet sockets of an interface."""
