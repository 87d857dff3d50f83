"""Tables of runs: imported, judged, reported."""
