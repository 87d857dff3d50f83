"""Simulate one core that polls rings in turn, in bursts: NAPI, poll mode, stages of a chain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linerate.errors import bad_input
from linerate.models.arrays import Array
from linerate.models.queueing.simulation import core_loop as loop
from linerate.models.queueing.simulation.core_loop import Ints, Rules
from linerate.models.queueing.simulation.sojourns import Sojourns, without_warm_up
from linerate.models.queueing.simulation.stalls import Stalls
from linerate.models.queueing.simulation.traffic import Traffic, unit_draws


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """How a core looks after its rings."""

    service_times_ns: tuple[float, ...]
    """Mean time of one packet of each ring."""
    service_scv: float = 0.0
    """Squared coefficient of variation of that time."""
    bursts: tuple[int, ...]
    """Most packets taken from each ring at one visit: 32 in DPDK, NAPI's budget of 64."""
    places: int
    """Packets that each ring holds, those in service not included."""
    visit_ns: float
    """Cost of a visit that finds packets."""
    empty_ns: float
    """Cost of a visit that finds none."""
    setup_ns: float | None = None
    """Time to wake after all rings were found empty; None for a core that never sleeps."""
    gated: bool = True
    """Take only what is there at the visit, all at once (a receive burst of DPDK); otherwise one
    by one, later arrivals too (a NAPI poll)."""
    chained: bool = False
    """A packet served from one ring goes to the next; all traffic enters the first."""

    def __post_init__(self) -> None:
        if len(self.bursts) != len(self.service_times_ns) or min(self.bursts, default=0) < 1:
            raise bad_input("bursts", self.bursts, why="each ring has one, of a packet or more",
                            allowed=f"{len(self.service_times_ns)} numbers >= 1",
                            do="correct them")  # fmt: skip
        if self.places < 1:
            raise bad_input("places", self.places, why="a ring holds packets", allowed=">= 1",
                            do="name the size of a ring")  # fmt: skip
        if self.setup_ns is None and not self.empty_ns > 0.0:
            raise bad_input("empty_ns", self.empty_ns, why="a core that polls takes time for it",
                            allowed="> 0", do="name the cost of an empty poll")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreRun:
    """What one core did."""

    sojourns: Sojourns
    """Times from arrival to the end of service, of the last ring where they are chained."""
    ring: Ints
    """Ring at which each packet arrived, shape of the sojourns."""
    burst_packets_mean: float
    """Packets of a visit that found any."""
    wakeups_per_us: float
    """How often it slept and was woken."""
    useful_ratio: float
    """Share of the time in service that went into packets which got through."""


def simulate_core(
    core: Core,
    traffic: Traffic,
    rng: np.random.Generator,
    *,
    shares: Array | None = None,
    stalls: Stalls | None = None,
) -> CoreRun:
    """Serve the traffic.

    Parameters
    ----------
    core, traffic, rng
        What serves, what is offered, and what draws.
    shares
        Of the rings, in what arrives; evenly by default.
    stalls
        When the whole machine stands still; None for never. ``wakeups_per_us`` is then over the
        time in which it runs.
    """
    count, packets = len(core.bursts), traffic.packets
    ring = np.zeros(packets, np.int64)
    if count > 1 and not core.chained:
        ring = rng.choice(count, packets, p=shares)
    times = _times(core, traffic, ring, rng)
    arrivals_ns = times[:, loop.ARRIVAL_NS].copy()
    work_ns = arrivals_ns[-1] + times[:, loop.WORK_NS :].sum()
    clock = stalls.draw(float(work_ns), rng) if stalls is not None else None
    if clock is not None:
        times[:, loop.ARRIVAL_NS] = clock.machine_ns(arrivals_ns)
    rings = np.zeros((count, loop.RING_COLUMNS), np.int64)
    rings[:, loop.BURST], rings[:, loop.PLACES] = core.bursts, core.places
    tally = np.zeros(loop.TALLIES)
    loop.run_core(times, np.column_stack([ring, ring]), rings, tally, _rules(core))
    sojourns_ns = times[:, loop.SOJOURN_NS].copy()
    if clock is not None:
        sojourns_ns = clock.sojourns_ns(arrivals_ns, sojourns_ns)
    sojourns = without_warm_up(sojourns_ns)
    through = ~np.isnan(times[:, loop.SOJOURN_NS])
    useful_ns = float(times[:, loop.WORK_NS :].sum(axis=1) @ through)
    return CoreRun(
        sojourns=sojourns, ring=ring[packets - sojourns.time_ns.size :],
        burst_packets_mean=float(tally[loop.TAKEN] / max(tally[loop.VISITS], 1.0)),
        wakeups_per_us=float(1e3 * tally[loop.WAKEUPS] / tally[loop.NOW_NS]),
        useful_ratio=useful_ns / float(tally[loop.WORKED_NS]),
    )  # fmt: skip


def _times(core: Core, traffic: Traffic, ring: Ints, rng: np.random.Generator) -> Array:
    """Rows of packets as the loop wants them: arrival, no sojourn yet, work at each stage."""
    arrivals_ns = traffic.arrivals_ns(rng)
    works = unit_draws(core.service_scv, traffic.packets, rng)
    means_ns = np.asarray(core.service_times_ns)
    times = np.empty((works.size, loop.WORK_NS + (means_ns.size if core.chained else 1)))
    times[:, loop.ARRIVAL_NS], times[:, loop.SOJOURN_NS] = arrivals_ns, np.nan
    times[:, loop.WORK_NS :] = works[:, None]
    times[:, loop.WORK_NS :] *= means_ns if core.chained else means_ns[ring, None]
    return times


def _rules(core: Core) -> Rules:
    return Rules(
        visit_ns=core.visit_ns, empty_ns=core.empty_ns, setup_ns=core.setup_ns or 0.0,
        sleeps=core.setup_ns is not None, gated=core.gated, chained=core.chained,
    )  # fmt: skip
