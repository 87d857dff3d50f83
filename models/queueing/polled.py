"""A ring of K packets that a core looks at in bursts: DPDK's poll mode, NAPI, one of many rings.

At each look the core takes at most a burst of what is there, and is away until it has served it.
How many packets it finds is a Markov chain from look to look, solved exactly; from it follow losses
and the sojourn of each packet, which is decided by where in the ring it comes to lie.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, xlogy

from linerate.errors import bad_input
from linerate.models.cells import Array

PHASES = 32
"""Points of an interval between two looks at which arrivals are taken."""
UNLIKELY = 1e-13
"""Chance that is left out of a distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring:
    """A ring and the core that polls it; service times are constant, arrivals Poisson."""

    load_mpps: float
    """Packets offered."""
    service_time_ns: float
    """Time of one packet."""
    burst: int
    """Most packets of one look: 32 in DPDK, NAPI's budget of 64."""
    places: int
    """Packets that the ring holds; those taken have given their places back."""
    visit_ns: float = 0.0
    """Cost of a look that finds packets."""
    empty_ns: float = 0.0
    """Cost of a look that finds none."""
    setup_ns: float | None = None
    """Time to wake after the ring was found empty; None for a core that never sleeps."""
    away_ns: tuple[float, ...] = (0.0,)
    """Equally likely times that the core spends elsewhere after each look."""

    def __post_init__(self) -> None:
        for name in ("load_mpps", "service_time_ns", "burst", "places"):
            if not 0.0 < getattr(self, name) < np.inf:
                raise bad_input(name, getattr(self, name), why="no such ring", allowed="> 0",
                                do="correct it")  # fmt: skip
        if self.setup_ns is None and not self.empty_ns + min(self.away_ns) > 0.0:
            raise bad_input("empty_ns", self.empty_ns, why="a core that polls takes time for it",
                            allowed="> 0", do="name the cost of an empty poll")  # fmt: skip

    def away(self, found: int) -> tuple[float, ...]:
        """Give the times until the next look, equally likely, after one that found so many."""
        if found == 0 and self.setup_ns is not None:
            return (self.setup_ns,)
        taken = min(found, self.burst)
        spent_ns = self.visit_ns + taken * self.service_time_ns if found else self.empty_ns
        return tuple(spent_ns + away_ns for away_ns in self.away_ns)

    def left(self, found: int) -> int:
        """Packets in the ring as the core turns away; asleep, it is away from the first arrival."""
        if found == 0 and self.setup_ns is not None:
            return 1
        return found - min(found, self.burst)


@dataclass(frozen=True, slots=True, kw_only=True)
class Polled:
    """Steady state of a ring."""

    found: Array
    """Chance of 0..K packets at a look, shape (K + 1,)."""
    loss_ratio: float
    """Share of arrivals that find the ring full."""
    burst_packets_mean: float
    """Packets of a look that finds any."""
    sojourns_ns: Array
    """Possible times from arrival to the end of service, ascending, shape (n,)."""
    chances: Array
    """Chance of each, shape (n,)."""

    @property
    def sojourn_ns(self) -> float:
        """Mean time of the packets that get in."""
        return float(self.sojourns_ns @ self.chances)

    def quantile_ns(self, ratio: ArrayLike) -> Array:
        """Quantiles of that time; ``ratio`` 0.99 is p99."""
        return np.asarray(
            np.interp(
                np.asarray(ratio, dtype=np.float64), np.cumsum(self.chances), self.sojourns_ns
            )
        )


def polled(ring: Ring) -> Polled:
    """Solve a ring.

    The core takes what is there at each look. A NAPI poll that also takes what arrives meanwhile is
    the same where a look costs nothing; with a cost it makes fewer looks than are counted here.

    References
    ----------
    Bailey, On queueing processes with bulk service, J. Royal Statistical Society B 16 (1954);
    Takagi, Queueing Analysis, vol. 2 (1993), for finite buffers with vacations; Begin, Baynat,
    Artero Gallardo and Jardin, IEEE Trans. Network and Service Management 15 (2018).

    Examples
    --------
    >>> state = polled(Ring(load_mpps=2.0, service_time_ns=100.0, burst=32, places=64,
    ...                     visit_ns=200.0, empty_ns=50.0))
    >>> round(state.burst_packets_mean, 3)
    1.196
    """
    found = _found(ring)
    taken = np.minimum(np.arange(ring.places + 1), ring.burst)
    sojourns_ns, weights = _sojourns(ring, found)
    order = np.argsort(sojourns_ns)
    return Polled(
        found=found, loss_ratio=_loss_ratio(ring, found),
        burst_packets_mean=float(taken @ found / (1.0 - found[0])),
        sojourns_ns=sojourns_ns[order], chances=weights[order] / weights.sum(),
    )  # fmt: skip


def cycle_ns(ring: Ring, found: int) -> float:
    """Mean time from a look that found so many to the next; a sleep includes its idle time."""
    asleep_ns = 1e3 / ring.load_mpps if found == 0 and ring.setup_ns is not None else 0.0
    return asleep_ns + float(np.mean(ring.away(found)))


def _poisson(mean: Array, most: int) -> Array:
    """Chance of 0..most - 1 arrivals, shape (..., most)."""
    count = np.arange(most)
    mean = np.asarray(mean)[..., None]
    return np.asarray(np.exp(xlogy(count, mean) - mean - gammaln(count + 1.0)))


def _arrivals(ring: Ring, found: int) -> Array:
    """Chance of 0..K arrivals until the next look; what is left to 1 is more."""
    means = np.asarray(ring.away(found)) * ring.load_mpps * 1e-3
    return np.asarray(_poisson(means, ring.places + 1).mean(axis=0))


def _found(ring: Ring) -> Array:
    """Stationary chance of what a look finds."""
    size = ring.places + 1
    moves = np.zeros((size, size))
    chances = np.zeros(size)
    for found in range(size):
        if found <= ring.burst + 1:  # from there on as many are taken each time
            chances = _arrivals(ring, found)
        left = ring.left(found)
        moves[found, left:] = chances[: size - left]
        moves[found, -1] += max(1.0 - moves[found].sum(), 0.0)
    balance = (moves - np.eye(size)).T
    balance[-1] = 1.0
    found_ratio = np.linalg.solve(balance, np.append(np.zeros(ring.places), 1.0))
    return np.asarray(np.maximum(found_ratio, 0.0) / np.maximum(found_ratio, 0.0).sum())


def _loss_ratio(ring: Ring, found: Array) -> float:
    """Arrivals beyond the room that was left, over all arrivals of a cycle."""
    lost = offered = 0.0
    for state, chance in enumerate(found):
        room = ring.places - ring.left(state)
        mean = float(np.mean(ring.away(state))) * ring.load_mpps * 1e-3
        more = 1.0 - np.cumsum(_arrivals(ring, state))[:room]
        lost += chance * max(mean - float(more.sum()), 0.0)
        offered += chance * cycle_ns(ring, state) * ring.load_mpps * 1e-3
    return lost / offered


def _sojourns(ring: Ring, found: Array) -> tuple[Array, Array]:
    """List packets by the look before them, when they came after it, and their place."""
    phases = (np.arange(PHASES) + 0.5) / PHASES
    times, weights = [], []
    for state in np.flatnonzero(found > UNLIKELY):
        left, likely_ns = ring.left(int(state)), ring.away(int(state))
        if state == 0 and ring.setup_ns is not None:  # the packet that wakes the core
            times.append(np.atleast_1d(ring.setup_ns + _own_ns(ring, np.zeros(1))))
            weights.append(np.atleast_1d(found[state]))
        for away_ns in likely_ns:
            before = _poisson(phases * away_ns * ring.load_mpps * 1e-3, ring.places - left)
            own_ns = _own_ns(ring, left + np.arange(ring.places - left, dtype=np.float64))
            share = found[state] * away_ns * ring.load_mpps * 1e-3 / PHASES / len(likely_ns)
            weight = (before * share).ravel()
            kept = weight > UNLIKELY
            times.append(((1.0 - phases)[:, None] * away_ns + own_ns).ravel()[kept])
            weights.append(weight[kept])
    return np.concatenate(times), np.concatenate(weights)


def _own_ns(ring: Ring, place: Array) -> Array:
    """Time from the next look to the end of service of the packet at a place of the ring."""
    looks = place // ring.burst
    between_ns = ring.visit_ns + float(np.mean(ring.away_ns))
    return looks * between_ns + ring.visit_ns + (place + 1) * ring.service_time_ns
