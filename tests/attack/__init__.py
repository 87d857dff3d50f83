"""Attacks on whole campaigns: what ``make attack`` does for as long as it is told to."""
