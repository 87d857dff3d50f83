"""Throughput with line rate offered, and how well it is predicted."""
