r"""A program's time where several cores run it, from that beside cores that do nothing else.

What a core writes to an entry of a map that all share, the next one that looks has to fetch from
its cache. Cores meet so while others are in the program, too, a share of their time, and where
another has been there since: at least as often as a program did that only counts where all count.

.. math:: p = c\bigl((q - 1) f\bigr), \qquad f = \max\Bigl(\varphi, \frac{p}{p + b}\Bigr)

with :math:`q` queues, base cost :math:`b`, and :math:`c(r)` the program's time beside :math:`r`
other cores that do nothing but run it, in a straight line between whole numbers of them.
:math:`\varphi` is what a calibration found behind the hook; without one it is 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linerate.models.objects.base import BaseCosts
from linerate.programs.costs import ALONE, TOGETHER, sharing_name
from linerate.programs.times import ProgramTimes

_STEPS = 60
"""Halvings: the time is then exact to what a double holds."""


def shared_ns(
    times: ProgramTimes, costs: BaseCosts, base_ns: float, queues: int
) -> NDArray[np.float64]:
    """Time of the program where each queue has a core, ns, shape (loads,).

    Parameters
    ----------
    times
        Test runs, alone and beside other cores; where there were none beside, as alone.
    costs
        Of the hook, on the machine that is asked about.
    base_ns
        What a core does for a packet besides.
    queues
        At least 1; more than were tried are taken as those.
    """
    alone_ns = times.scaled_ns(costs.yardstick_ns)
    tried = [each for each in times.together if each.cores <= queues]
    if not tried:
        return alone_ns
    rivals = np.array([0, *(each.cores - 1 for each in tried)], dtype=np.float64)
    curves = np.stack([alone_ns, *(each.scaled_ns(costs.yardstick_ns) for each in tried)], axis=1)
    least = queues - 1, meeting_share(costs, queues)
    return np.array([_balance(rivals, curve, base_ns, least) for curve in curves])


def meeting_share(costs: BaseCosts, queues: int) -> float:
    """Share of packets at which cores met in the calibrated program, 0 to 1.

    Parameters
    ----------
    costs
        Of the hook.
    queues
        Taken as the nearest number below that was calibrated.

    Returns
    -------
    Where on the way from its time alone to that beside cores that did nothing else its time behind
    the hook lay; 0 where that was not calibrated.
    """
    named = costs.datapath
    known = [q for q in costs.queues if q <= queues and np.isfinite(_known(costs, named, q))]
    if not known:
        return 0.0
    cores = known[-1]
    found = [_known(costs, ALONE, 1), *(_known(costs, TOGETHER, n) for n in range(2, cores + 1))]
    curve_ns = np.array(found, dtype=np.float64)
    if not np.all(np.diff(curve_ns) > 0.0):  # not known, or others took the cores
        return 0.0
    behind_ns = _known(costs, named, cores)
    return float(np.interp(behind_ns, curve_ns, np.arange(cores))) / (cores - 1)


def _known(costs: BaseCosts, where: str, cores: int) -> float:
    """Take what the calibrated program takes there, ns; nan where nobody measured it."""
    found = costs.costs.get(sharing_name(where, cores))
    return found.value_ns if found is not None else np.nan


def _balance(
    rivals: NDArray[np.float64], curve_ns: NDArray[np.float64], base_ns: float,
    least: tuple[int, float],
) -> float:  # fmt: skip
    """Find the time at which cores meet as often as they do because of it, or at least do."""
    others, share = least
    lower, upper = float(curve_ns.min()), float(curve_ns.max())
    for _ in range(_STEPS):
        middle = (lower + upper) / 2
        taken = max(middle, 0.0)
        busy = taken / (taken + base_ns) if taken else 0.0
        if np.interp(others * max(share, busy), rivals, curve_ns) > middle:
            lower = middle
        else:
            upper = middle
    return (lower + upper) / 2
