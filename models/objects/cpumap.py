r"""What packets wait for that a program hands to the queues of other cores.

The core that runs the program is one stage, each core that takes from its queue another; a queue
that is full takes no more, so that the slower stage sets the rate:

.. math:: t = \max\bigl(b + p, \; q s \tau / k\bigr)

with base cost :math:`b` and program :math:`p` on each of :math:`q` queues' cores, :math:`s` the
share of packets that are handed on, :math:`k` cores that take an even share of them each, and
:math:`\tau` what a packet takes there: what a calibration saw, and what the stack does with it.
"""

from __future__ import annotations

from collections.abc import Mapping

from linerate.models.objects.base import BaseCosts
from linerate.normal import NORMAL_90
from linerate.programs.costs import REDIRECT, STACK, TAKING
from linerate.programs.times import ProgramTimes


def waiting_ns(
    times: ProgramTimes, costs: BaseCosts, behind: Mapping[str, float], queues: int,
    packet_ns: float,
) -> tuple[float, float]:  # fmt: skip
    """Say how much longer than the program's core the slowest other core takes.

    Parameters
    ----------
    times
        Where packets end.
    costs
        Of the hook, on the machine that is asked about.
    behind
        What goes on behind the hook, and with what share of the packets; ``TAKING``: 1 / cores.
    queues
        Cores that run the program.
    packet_ns
        Time of a packet on one of these.

    Returns
    -------
    ns a packet, 0 where the program's core is the slower one, and its standard deviation.
    """
    if TAKING not in behind:
        return 0.0, 0.0
    kinds = {TAKING: 1.0} | {kind: share for kind, share in behind.items() if kind in STACK}
    found = [
        (queues * behind[TAKING] * frame.share * share, cost)
        for frame in times.frames if frame.verdict == REDIRECT
        for kind, share in kinds.items()
        if (cost := costs.behind(kind, frame.frame_bytes)) is not None
    ]  # fmt: skip
    more_ns = sum(share * cost.value_ns for share, cost in found) - packet_ns
    if more_ns <= 0.0:
        return 0.0, 0.0
    spread_ns = sum(share * (cost.upper_ns - cost.lower_ns) for share, cost in found)
    return more_ns, spread_ns / 2 / NORMAL_90
