"""Pipelines that linerate writes itself."""
