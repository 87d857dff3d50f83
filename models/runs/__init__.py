"""Runs as models read them: cells, selection, training, limits."""
