"""Campaigns: what a file asks for, in which order it is measured, and the run of it."""
