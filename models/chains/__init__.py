"""Chains of service functions that carry more than they can: time of a packet over their length."""
