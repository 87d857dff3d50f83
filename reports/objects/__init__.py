"""Pictures of what is predicted for a user's own program."""
