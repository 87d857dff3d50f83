"""Frames that a user gives: captures, lists, sizes."""
