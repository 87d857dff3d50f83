"""Numbers of the normal distribution that intervals and robust spreads are made of."""

NORMAL_90 = 1.6449
"""Standard deviations to either side that hold 90 % of it."""
MEDIAN_ERROR = 1.2533
"""Standard error of a median, or of a fit by absolute deviations, over that of a mean or a fit by
squares."""
MAD_DEVIATION = 1.4826
"""Standard deviation over the median absolute one."""
