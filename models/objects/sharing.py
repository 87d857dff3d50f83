r"""A program's time where several cores run it, from that beside cores that do nothing else.

What a core writes to an entry of a map that all share, the next one that looks has to fetch from
its cache:

.. math:: p = c\bigl((q - 1) f\bigr)

with :math:`q` queues, :math:`c(r)` the program's time beside :math:`r` other cores that do nothing
but run it, in a straight line between whole numbers of them, and :math:`f` the share of packets at
which cores meet.

The native hook takes packets in bursts of up to 64, so cores meet while both are in a burst. That
is a share :math:`F = (p + d) / (p + b)` of the time, with base cost :math:`b` and what of it lies
between the program's turns in a burst, :math:`d`. Packets take longer where cores meet, so that
fewer of them fall into that time:

.. math:: f = \frac{F / (c(q - 1) + d)}{F / (c(q - 1) + d) + (1 - F) / (c(0) + d)}

Other hooks are called for one packet after the other. There cores meet while others are in the
program, too, and where another has been there since: at least as often, :math:`\varphi`, as a
program did behind that hook in a calibration that only counts where all count:

.. math:: f = \max\Bigl(\varphi, \frac{p}{p + b}\Bigr)

Without a calibration of it :math:`\varphi` is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from linerate.models.objects.base import BaseCosts
from linerate.programs.costs import ALONE, TAKES_BURSTS, TOGETHER, sharing_name
from linerate.programs.times import ProgramTimes

BETWEEN_RATIO = 0.3
"""Of the base cost: what lies between a program's turns in a burst. The generator and the sink have
the rest; found on `count_sources` and `token_bucket` of bpf/examples
(docs/models/objects/cores.md)."""
RISE_NS, RISE_RATIO = 5.0, 0.1
"""What other cores must slow a program by for more of them to slow it further: less is noise."""
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
        At least 1; beyond what was tried, a program that was slower beside others goes on to
        be so with each of them.
    """
    alone_ns = times.scaled_ns(costs.yardstick_ns)
    tried = [each for each in times.together if each.cores <= queues]
    if not tried:
        return alone_ns
    rivals = np.array([0, *(each.cores - 1 for each in tried)], dtype=np.float64)
    curves = np.stack([alone_ns, *(each.scaled_ns(costs.yardstick_ns) for each in tried)], axis=1)
    others = queues - 1
    if others > rivals[-1]:
        rivals, curves = _beyond(rivals, curves, others)
    if costs.datapath in TAKES_BURSTS:
        return np.array([
            _balance(rivals, curve, others, partial(_met_in_bursts, base_ns, curve))
            for curve in curves
        ])  # fmt: skip
    met = partial(_met_one_by_one, base_ns, meeting_share(costs, queues))
    return np.array([_balance(rivals, curve, others, met) for curve in curves])


def _beyond(
    rivals: NDArray[np.float64], curves: NDArray[np.float64], others: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Go on in a straight line to more cores, where those that were tried slow the program."""
    rise_ns = (curves[:, -1] - curves[:, 0]) / rivals[-1]
    rises = np.median(rise_ns) * rivals[-1] > max(RISE_NS, RISE_RATIO * np.median(curves[:, 0]))
    last = curves[:, -1] + (rise_ns * (others - rivals[-1]) if rises else 0.0)
    return np.append(rivals, others), np.column_stack([curves, np.maximum(last, 0.0)])


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
    known = [q for q in costs.queues if 1 < q <= queues and np.isfinite(_known(costs, named, q))]
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


def _met_in_bursts(base_ns: float, curve_ns: NDArray[np.float64], taken_ns: float) -> float:
    """Take the share of packets at which cores meet, from that of time in which they do."""
    if not base_ns:
        return 1.0
    between_ns = BETWEEN_RATIO * base_ns
    time_share = (taken_ns + between_ns) / (taken_ns + base_ns)
    together = time_share / (max(curve_ns[-1], 0.0) + between_ns)
    apart = (1.0 - time_share) / (max(curve_ns[0], 0.0) + between_ns)
    return float(together / (together + apart))


def _met_one_by_one(base_ns: float, least: float, taken_ns: float) -> float:
    """Take it from the share of time in the program, and from what was calibrated."""
    return max(least, taken_ns / (taken_ns + base_ns)) if taken_ns else least


def _balance(
    rivals: NDArray[np.float64], curve_ns: NDArray[np.float64], others: int,
    met: Callable[[float], float],
) -> float:  # fmt: skip
    """Find the time at which cores meet as often as they do because of it."""
    lower, upper = float(curve_ns.min()), float(curve_ns.max())
    for _ in range(_STEPS):
        middle = (lower + upper) / 2
        if np.interp(others * met(max(middle, 0.0)), rivals, curve_ns) > middle:
            lower = middle
        else:
            upper = middle
    return (lower + upper) / 2
