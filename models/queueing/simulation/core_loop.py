"""The loop of a core over its rings, in plain arrays that a compiler can keep in registers.

An array that is read out of a record costs two atomic counts of references each time; five arrays
that are passed on cost nothing. So what belongs to a packet is a row of ``times`` and of ``links``,
and what belongs to a ring is a row of ``rings``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linerate.models.arrays import Array
from linerate.models.queueing.simulation.compiled import compiled

Ints = NDArray[np.int64]

ARRIVAL_NS, SOJOURN_NS, WORK_NS = range(3)
"""Columns of ``times``; from ``WORK_NS`` on one for each stage of a chain."""
RING, BEHIND = range(2)
"""Columns of ``links``: where the packet arrives, and the packet behind it in its ring."""
HEAD, TAIL, COUNT, BURST, PLACES, RING_COLUMNS = range(6)
"""Columns of ``rings``."""
NOW_NS, WORKED_NS, VISITS, TAKEN, WAKEUPS, ARRIVED, TALLIES = range(7)
"""Entries of ``tally``."""


class Rules(NamedTuple):
    """What a core does, in numbers; ``Core`` explains them."""

    visit_ns: float
    empty_ns: float
    setup_ns: float
    sleeps: bool
    gated: bool
    chained: bool


@compiled
def put(links: Ints, rings: Ints, ring: int, packet: int) -> bool:
    """Behind the ring's last packet; whether there was a place."""
    if rings[ring, COUNT] == rings[ring, PLACES]:
        return False
    if rings[ring, COUNT] == 0:
        rings[ring, HEAD] = packet
    else:
        links[rings[ring, TAIL], BEHIND] = packet
    rings[ring, TAIL] = packet
    rings[ring, COUNT] += 1
    return True


@compiled
def admit(times: Array, links: Ints, rings: Ints, tally: Array) -> None:
    """All that arrived by now."""
    packet, now_ns = int(tally[ARRIVED]), tally[NOW_NS]
    while packet < len(times) and times[packet, ARRIVAL_NS] <= now_ns:
        put(links, rings, links[packet, RING], packet)
        packet += 1
    tally[ARRIVED] = packet


@compiled
def take(links: Ints, rings: Ints, ring: int, count: int) -> int:
    """Give the slots of the oldest packets back; the first of them."""
    first = last = rings[ring, HEAD]
    for _ in range(count - 1):
        last = links[last, BEHIND]
    rings[ring, HEAD] = links[last, BEHIND]
    rings[ring, COUNT] -= count
    return int(first)


@compiled
def serve(times: Array, packet: int, stage: int, tally: Array) -> None:
    """One packet at one stage."""
    work_ns = times[packet, WORK_NS + stage]
    tally[NOW_NS] += work_ns
    tally[WORKED_NS] += work_ns
    tally[TAKEN] += 1
    times[packet, SOJOURN_NS] = tally[NOW_NS] - times[packet, ARRIVAL_NS]


@compiled
def visit_gated(times: Array, links: Ints, rings: Ints, tally: Array, ring: int) -> None:
    """Take a burst of what is there and serve it."""
    count = min(rings[ring, BURST], rings[ring, COUNT])
    packet = take(links, rings, ring, count)
    for _ in range(count):
        serve(times, packet, 0, tally)
        packet = links[packet, BEHIND]


@compiled
def visit_chained(times: Array, links: Ints, rings: Ints, tally: Array, ring: int) -> None:
    """Take a burst of what is there, serve it, and hand each packet to the next ring.

    Arrivals meanwhile enter the first ring only, which none of this touches: the next look admits
    them as if each had been on time.
    """
    count = min(rings[ring, BURST], rings[ring, COUNT])
    packet = take(links, rings, ring, count)
    for _ in range(count):
        following = links[packet, BEHIND]  # read before the packet joins another ring
        serve(times, packet, ring, tally)
        if ring + 1 < len(rings):
            times[packet, SOJOURN_NS] = np.nan
            put(links, rings, ring + 1, packet)
        packet = following


@compiled
def visit_one_by_one(times: Array, links: Ints, rings: Ints, tally: Array, ring: int) -> None:
    """Take and serve packets, later ones too, up to a burst."""
    served = 0
    while served < rings[ring, BURST] and rings[ring, COUNT] > 0:
        serve(times, take(links, rings, ring, 1), 0, tally)
        admit(times, links, rings, tally)
        served += 1


@compiled
def idle(times: Array, rings: Ints, tally: Array, rules: Rules) -> None:
    """Until a packet is there: asleep, or in whole rounds of empty polls."""
    wait_ns = times[int(tally[ARRIVED]), ARRIVAL_NS] - tally[NOW_NS]
    if rules.sleeps:
        tally[WAKEUPS] += 1
        tally[NOW_NS] += max(wait_ns, 0.0) + rules.setup_ns
    else:
        round_ns = rules.empty_ns * len(rings)
        tally[NOW_NS] += max(np.floor(wait_ns / round_ns), 0.0) * round_ns


@compiled
def visit(times: Array, links: Ints, rings: Ints, tally: Array, which: tuple[int, Rules]) -> None:
    """Serve one burst, as the rules want it."""
    ring, rules = which
    tally[VISITS] += 1
    tally[NOW_NS] += rules.visit_ns
    if rules.chained:
        visit_chained(times, links, rings, tally, ring)
    elif rules.gated:
        visit_gated(times, links, rings, tally, ring)
    else:
        visit_one_by_one(times, links, rings, tally, ring)


@compiled
def run_core(times: Array, links: Ints, rings: Ints, tally: Array, rules: Rules) -> None:
    """Go round the rings until every packet is served or lost."""
    ring, inside = 0, 0
    while tally[ARRIVED] < len(times) or inside > 0:
        admit(times, links, rings, tally)
        inside = 0
        for each in range(len(rings)):
            inside += rings[each, COUNT]
        if inside == 0 and tally[ARRIVED] < len(times):
            idle(times, rings, tally, rules)
            if rules.sleeps:
                continue
        if rings[ring, COUNT] == 0:
            tally[NOW_NS] += rules.empty_ns
        else:
            visit(times, links, rings, tally, (ring, rules))
        ring = (ring + 1) % len(rings)
