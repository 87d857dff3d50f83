"""Figures of the user's own programs."""
