"""How sure the time of a packet is that a chain took in a few loads of it."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

LOAD_LOG_SD = 0.04
"""Standard deviation of a load's time about that of others, relative: root mean square of 90 chains
of three loads (docs/chains.md)."""
MOMENT_LOG_SD = 0.032
"""Standard deviation of a chain's time between one part of an hour and the next, relative: what
78 chains took compared with a campaign of the half hour before, less what loads differ by."""


def ran_time(ran_ns: Sequence[float], led_log_sd: float = 0.0) -> tuple[float, float]:
    """Take the time of a packet from loads of a chain that ran, and how sure it is of one more.

    Parameters
    ----------
    ran_ns
        Time of a packet in each load, ns; at least one.
    led_log_sd
        Standard deviation of the logarithm of all of them together.

    Returns
    -------
    The median, ns, and the standard deviation of the logarithm of another load's time over it.

    >>> took_ns, log_sd = ran_time([980.0, 1000.0, 1030.0])
    >>> took_ns, round(log_sd, 3)
    (1000.0, 0.056)
    """
    of_loads = LOAD_LOG_SD**2 * (1.0 + 1.0 / len(ran_ns))
    return median(ran_ns), float((of_loads + MOMENT_LOG_SD**2 + led_log_sd**2) ** 0.5)
