"""Throughput and latency of DPDK's pipelines."""
