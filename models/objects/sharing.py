r"""A program's time where several cores run it, from that beside cores that do nothing else.

What a core writes to an entry of a map that all share, the next one that looks has to fetch from
its cache. Cores meet so only while others are in the program, too: a share :math:`f` of their time.

.. math:: p = c\bigl((q - 1) f\bigr), \qquad f = \frac{p}{p + b}

with :math:`q` queues, base cost :math:`b`, and :math:`c(r)` the program's time beside :math:`r`
other cores that do nothing but run it, in a straight line between whole numbers of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linerate.programs.times import ProgramTimes

_STEPS = 60
"""Halvings: the time is then exact to what a double holds."""


def shared_ns(
    times: ProgramTimes, yardstick_ns: float, base_ns: float, queues: int
) -> NDArray[np.float64]:
    """Time of the program where each queue has a core, ns, shape (loads,).

    Parameters
    ----------
    times
        Test runs, alone and beside other cores; where there were none beside, as alone.
    yardstick_ns
        Of the machine that is asked about.
    base_ns
        What a core does for a packet besides.
    queues
        At least 1; more than were tried are taken as those.
    """
    alone_ns = times.scaled_ns(yardstick_ns)
    tried = [each for each in times.together if each.cores <= queues]
    if not tried:
        return alone_ns
    rivals = np.array([0, *(each.cores - 1 for each in tried)], dtype=np.float64)
    curves = np.stack([alone_ns, *(each.scaled_ns(yardstick_ns) for each in tried)], axis=1)
    return np.array([_balance(rivals, curve, base_ns, queues) for curve in curves])


def _balance(
    rivals: NDArray[np.float64], curve_ns: NDArray[np.float64], base_ns: float, queues: int
) -> float:
    """Find the time at which cores meet as often as they do because of it."""
    lower, upper = float(curve_ns.min()), float(curve_ns.max())
    for _ in range(_STEPS):
        middle = (lower + upper) / 2
        taken = max(middle, 0.0)
        busy = taken / (taken + base_ns) if taken else 0.0
        if np.interp((queues - 1) * busy, rivals, curve_ns) > middle:
            lower = middle
        else:
            upper = middle
    return (lower + upper) / 2
