"""Chains of service functions, over their length."""
