"""What ``import linerate as lr`` offers: runs, models and validations that a notebook shows."""
