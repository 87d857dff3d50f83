"""What the kernel and the CPU count of their own work while packets flow."""
