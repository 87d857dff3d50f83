"""What a pipeline is refused for before DPDK sees it, and how it is guarded."""
