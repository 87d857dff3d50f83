"""Where the time of a program goes: by what its packets take, by calls of its code, by frames."""
