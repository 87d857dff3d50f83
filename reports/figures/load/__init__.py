"""Latency and CPU use, over offered load and over memory accesses."""
