"""What packets make a pipeline execute, followed one instruction after the other."""
