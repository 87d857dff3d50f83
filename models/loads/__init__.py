"""What program loads that were measured tell of their other frame sizes."""
