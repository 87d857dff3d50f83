"""Chains of stages: what gets through, and how long it takes."""
