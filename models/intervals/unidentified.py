"""What runs cannot tell: factors that were never varied, and servers that ceilings hid.

A model fills such gaps somehow: physics takes queues to scale linearly where one count was seen, a
learner repeats what it saw. The truth lies between what is possible at all, and intervals have to
reach that far. More queues give something from nothing to their share; an access costs something
from nothing to what all else costs together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linerate.models.intervals.domain import Domain, Range
from linerate.models.runs.cells import Array, Cells, Codes, Mask
from linerate.models.runs.limits import CapacityModel, Limits

MOST_GAIN = {"queues": 1.0, "memory_accesses": -1.0, "frame_bytes": -1.0}
"""Most that the log rate can change with the log of a factor; the least is nothing."""
OFFSET = {"queues": 0.0, "memory_accesses": 1.0, "frame_bytes": 0.0}
"""Accesses are counted from one up, so that 0 has a logarithm."""
NEEDS_VARYING = ("queues", "memory_accesses")
"""Factors that cost something on every path; bytes cost where frames are copied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slack:
    """How far the servers' rates of n cells may lie from what a model says; shapes (n,)."""

    below: Array
    """Log ratio, 0 or more."""
    above: Array
    """Log ratio, 0 or more; inf where every run was at its ceiling."""

    def take(self, rows: Codes) -> Slack:
        """Keep some rows."""
        return Slack(below=self.below[rows], above=self.above[rows])

    def wider(self, other: Slack) -> Slack:
        """Add another."""
        return Slack(below=self.below + other.below, above=self.above + other.above)

    @property
    def any(self) -> Mask:
        """Where there is some."""
        return np.asarray((self.below > 0.0) | (self.above > 0.0))


def slack_of(model: CapacityModel, domain: Domain, cells: Cells, limits: Limits) -> Slack:
    """Say how far cells may lie from a prediction for want of runs that vary a factor.

    Parameters
    ----------
    model
        Fitted inside the domain.
    domain
        What was varied, and where every run was at its ceiling.
    cells
        n cells.
    limits
        What the model says of them.
    """
    moved = cells.of_pairs([known.pair for known in domain.pairs])
    hidden = np.array([known.at_ceiling for known in domain.pairs])[moved.pair]
    nearest: dict[str, Array] = {}
    low, high = np.zeros(len(cells)), np.zeros(len(cells))
    for name, most in MOST_GAIN.items():
        values: Array = getattr(cells, name)
        seen = _nearest_seen(values, [getattr(known, name) for known in domain.pairs], moved.pair)
        fixed = [name in NEEDS_VARYING and getattr(known, name).fixed for known in domain.pairs]
        seen = np.where(np.array(fixed)[moved.pair] | hidden, seen, values)
        gain = most * np.log((values + OFFSET[name]) / (seen + OFFSET[name]))
        low, high = low + np.minimum(gain, 0.0), high + np.maximum(gain, 0.0)
        nearest[name] = seen
    taken = np.zeros(len(cells))
    if (away := (low < 0.0) | (high > 0.0)).any():
        inside = replace(
            cells, queues=nearest["queues"], memory_accesses=nearest["memory_accesses"],
            frame_bytes=nearest["frame_bytes"],
        )  # fmt: skip
        there = model.limits(inside.take(away)).service_mpps
        taken[away] = np.log(limits.service_mpps[away] / there)
    return Slack(below=np.maximum(taken - low, 0.0),
                 above=np.where(hidden, np.inf, np.maximum(high - taken, 0.0)))  # fmt: skip


def _nearest_seen(values: Array, ranges: list[Range], pair: Codes) -> Array:
    low = np.array([each.low for each in ranges])[pair]
    high = np.array([each.high for each in ranges])[pair]
    return np.clip(values, low, high)
