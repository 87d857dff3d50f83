"""Pipelines of DPDK's SWX."""
