"""Labs of many boxes whose trials are drawn."""
