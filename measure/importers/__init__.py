"""Other people's data: a study's folder or a single log becomes a table of runs, defects named."""
