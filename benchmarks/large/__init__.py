"""Tables of hundreds of thousands of runs: how one is planted, and what each command takes."""
