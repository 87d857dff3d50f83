"""A package, not a mere folder: site-packages may hold a stray `tests`, which would win."""
