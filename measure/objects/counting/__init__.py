"""What a program does with a frame, counted from its code without running it."""
