"""Pipelines of DPDK's SWX: written from a plan, read back, and counted operation by operation."""
