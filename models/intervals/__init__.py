"""Intervals, and where a model was not measured."""
