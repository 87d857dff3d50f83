"""Campaigns of hundreds of thousands of runs, planted."""
