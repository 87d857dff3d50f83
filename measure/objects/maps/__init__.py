"""What a user sets and fills: variables and maps of an object."""
