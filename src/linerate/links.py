"""The link of a question that names none."""

from __future__ import annotations

LINK_GBPS = 10.0
"""Gbit/s. Not in ``units``: a command has it as a default, and numpy is slow to load."""
