"""Chains of service functions with NSH that are asked about."""
