"""Programs of the user's own: their code, their times, what they cost."""
