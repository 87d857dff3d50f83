r"""Chains in tc that send to each other: what the kernel's rounds behind a poll leave of a flood.

The softirq behind each poll of the source takes packets on: in a round of it at most 64 of those
in the core's backlog go one step, from a node to the bridge or from there to the next node. It ends
after ten rounds, or with the first in which the clock ticked, and the source polls 64 more. With
more steps than rounds the backlog fills with packets half way, and each step loses as many:

.. math:: \sum_{k=1}^{p} q^k = R, \qquad t = \Bigl(s + \sum_{k=1}^{p} q^k c_k\Bigr) q^{-p}, \qquad
          R = N / \max(1, N/10 + 1/2), \quad N = T \Big/ 64\,\frac{\sum q^k c_k}{\sum q^k}

with :math:`p` steps, :math:`c_k` the time of step :math:`k` with what a function does behind it,
:math:`s` that of the source, :math:`q` the share that each step leaves, :math:`R` the mean rounds
of a poll, one at least, :math:`N` those in a tick of :math:`T` ns, which ends those of one poll
wherever they are. Where :math:`p \le R` nothing is lost: :math:`t = s + \sum c_k`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linerate.models.crossing import crossing
from linerate.models.latency.round_trips import ChainKind
from linerate.models.runs.cells import Array

ROUNDS_MAX = 10.0
"""``MAX_SOFTIRQ_RESTART``, Linux kernel/softirq.c."""
PACKETS_A_ROUND = 64.0
"""``net.core.dev_weight`` and what NAPI polls, as they come."""
TICK_NS = 4e6
"""At HZ=250, where the two milliseconds that a softirq may take are over with the next tick."""


def in_rounds(kind: ChainKind) -> bool:
    """Whether rounds behind the source's polls carry the packets of such a chain."""
    return kind.function == "tc" and kind.topology == "direct"


def flooded_ns(
    idle_ns: float, function_ns: float, works_ns: Sequence[float], *, nsh_aware: bool
) -> float:
    """Time of a packet through functions in tc, in overload, ns.

    Parameters
    ----------
    idle_ns
        Time of a packet through as many functions that do nothing, were none lost, ns.
    function_ns
        What one function more adds to it, ns.
    works_ns
        What each does itself with a packet, ns, in the order of a packet.
    nsh_aware
        Packets in NSH come to such functions through the backlog, too, so that a hop is two steps;
        to others XDP hands them, in the poll of their own device.

    References
    ----------
    ``handle_softirqs`` and ``MAX_SOFTIRQ_TIME`` in Linux 6.18 kernel/softirq.c, ``process_backlog``
    in net/core/dev.c; losing work under load: Mogul and Ramakrishnan, ACM TOCS 15 (1997).

    Examples
    --------
    >>> flooded_ns(4000.0, 1000.0, [500.0, 0.0], nsh_aware=False)
    4500.0
    >>> round(flooded_ns(12000.0, 1000.0, [0.0] * 10, nsh_aware=True))
    36846
    """
    hops = len(works_ns) + 1
    steps_a_hop = 2 if nsh_aware else 1
    hop_ns = max(0.0, min(function_ns, idle_ns / hops))
    steps_ns = np.full(hops * steps_a_hop, hop_ns / steps_a_hop)
    steps_ns[steps_a_hop - 1 : -1 : steps_a_hop] += works_ns
    source_ns = idle_ns - hops * hop_ns
    passed = _passed(steps_ns)
    return float((source_ns + passed @ steps_ns) / passed[-1])


def _passed(steps_ns: Array) -> Array:
    """Share of the source's packets that go each step, shape (steps,)."""
    steps = np.arange(1, len(steps_ns) + 1)

    def too_many(lost: float) -> float:
        passed = (1.0 - lost) ** steps
        return float(passed.sum()) - _rounds(float(passed @ steps_ns / passed.sum()))

    # Where each step loses half, all of them together are less than a round.
    lost = crossing(too_many, 0.0, scale=0.5)
    return np.asarray((1.0 - lost) ** steps, np.float64)


def _rounds(step_ns: float) -> float:
    """Say how many rounds a poll of the source has, by the mean time of a step, ns."""
    if step_ns <= 0.0:
        return ROUNDS_MAX
    in_a_tick = TICK_NS / (PACKETS_A_ROUND * step_ns)
    return max(1.0, in_a_tick / max(1.0, in_a_tick / ROUNDS_MAX + 0.5))
