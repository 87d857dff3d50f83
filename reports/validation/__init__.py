"""Pictures of how far predictions are off, of runs that were held out."""
