"""What an operation costs: the time it adds to a packet."""
