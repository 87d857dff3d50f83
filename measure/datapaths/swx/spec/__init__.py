"""Pipelines as text: read, checked, written, and counted path by path."""
