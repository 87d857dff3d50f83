"""MoonGen, driven by a script of our own on a card that DPDK has."""
