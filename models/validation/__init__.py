"""Errors on program loads that a model has not seen."""
