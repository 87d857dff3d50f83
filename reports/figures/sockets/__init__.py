"""AF_XDP: what the settings of a socket are worth."""
