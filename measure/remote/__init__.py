"""A generator on another host: what the two ends say to each other, and how they are joined."""
