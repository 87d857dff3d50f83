"""Each module here is a format that ``linerate import`` reads; its name is what the user types."""
