"""Sources of packets, each with the sink that counts them."""
