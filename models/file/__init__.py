"""Model files: written, read back exactly, checked."""
