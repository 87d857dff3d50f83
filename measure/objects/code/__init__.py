"""A BPF object's code: instructions, calls and the source lines they come from."""
