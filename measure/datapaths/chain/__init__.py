"""Chains of service functions with NSH."""
