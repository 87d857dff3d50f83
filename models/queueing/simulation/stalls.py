"""Stalls of the machine as a source: now and then all servers stand still, and then go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linerate.errors import bad_input
from linerate.models.arrays import Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Stalls:
    """Stalls that come whether packets do or not, as a Poisson process of the time between them."""

    per_us: float
    """How many begin in a microsecond in which the machine runs."""
    lengths_ns: Sequence[float] | Array
    """Equally likely lengths: of a probe, or drawn from a law."""

    def __post_init__(self) -> None:
        if not 0.0 < self.per_us < np.inf:
            raise bad_input("per_us", self.per_us, why="no such source of stalls", allowed="> 0",
                            do="leave it out where the machine never stalls")  # fmt: skip
        if not len(self.lengths_ns) or not min(self.lengths_ns) > 0.0:
            raise bad_input("lengths_ns", list(self.lengths_ns), why="a stall takes time",
                            allowed="one or more, each above 0", do="correct them")  # fmt: skip

    @property
    def stalled_ratio(self) -> float:
        """Share of all time that the machine stands still."""
        lost = self.per_us * 1e-3 * float(np.mean(self.lengths_ns))
        return lost / (1.0 + lost)

    def draw(self, running_ns: float, rng: np.random.Generator) -> StalledClock:
        """Draw the stalls of so much running time."""
        count = rng.poisson(self.per_us * 1e-3 * running_ns)
        begins_ns = np.sort(rng.uniform(0.0, running_ns, count))
        lengths_ns = rng.choice(np.asarray(self.lengths_ns, dtype=np.float64), count)
        return StalledClock(begins_ns=begins_ns, stalled_ns=np.cumsum(lengths_ns))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StalledClock:
    """Two clocks: of the wall, and of the machine, which stands still in a stall.

    By the machine's own clock nothing ever stalls. So packets come in by it, are served, and their
    ends are read off the wall's: whatever was under way goes on where it was.
    """

    begins_ns: Array
    """When each stall begins by the machine's clock, ascending, shape (k,)."""
    stalled_ns: Array
    """Time of all stalls up to each, shape (k,)."""

    def machine_ns(self, wall_ns: Array) -> Array:
        """Time by the machine's clock; all of a stall is its beginning."""
        before = np.concatenate([[0.0], self.stalled_ns])
        began = np.searchsorted(self.begins_ns + before[:-1], wall_ns, side="right")
        running_ns = wall_ns - before[began]
        latest = np.concatenate([[0.0], self.begins_ns])[began]
        # Within the last stall that began, the machine's clock shows when that was.
        return np.asarray(np.maximum(running_ns, latest))

    def wall_ns(self, machine_ns: Array) -> Array:
        """Time by the wall's clock, all stalls that began earlier passed."""
        began = np.searchsorted(self.begins_ns, machine_ns, side="left")
        return np.asarray(machine_ns + np.concatenate([[0.0], self.stalled_ns])[began])

    def sojourns_ns(self, arrivals_ns: Array, machine_ns: Array) -> Array:
        """Sojourns by the wall's clock.

        Parameters
        ----------
        arrivals_ns
            By the wall's clock, ascending, shape (n,).
        machine_ns
            Sojourns by the machine's, of packets that came at ``machine_ns(arrivals_ns)``; nan
            where a packet was lost, shape (n,).
        """
        ends_ns = self.machine_ns(arrivals_ns) + machine_ns
        lost = np.isnan(ends_ns)
        wall_ns = self.wall_ns(np.where(lost, 0.0, ends_ns))
        return np.where(lost, np.nan, wall_ns - arrivals_ns)
