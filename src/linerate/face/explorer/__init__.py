"""What a model answers, redrawn as its questions change."""
