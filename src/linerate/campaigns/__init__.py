"""A store of many campaigns: a table of runs in parts, one for each campaign of a box."""
