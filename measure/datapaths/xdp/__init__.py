"""XDP programs on the native and the generic hook."""
