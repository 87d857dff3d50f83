"""Searches for the highest load that is carried, and what they led to."""
