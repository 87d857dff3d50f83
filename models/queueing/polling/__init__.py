"""Rings of descriptors that a core polls: DPDK's poll mode, NAPI, one of many rings."""
