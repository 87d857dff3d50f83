"""Processes tied to this one, and the runners and objects that the build made."""
