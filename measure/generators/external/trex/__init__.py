"""TRex in its stateless mode, driven through its own Python client."""
