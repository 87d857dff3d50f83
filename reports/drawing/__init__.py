"""What figures are drawn with; matplotlib is loaded by the first that is drawn."""
