"""Where a model was fitted, and how far outside it a cell lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linerate.line_rate import sustains
from linerate.messages import note
from linerate.models.runs.cells import FACTORS, Array, Cells, Mask, Pair

if TYPE_CHECKING:
    from linerate.models.runs.training import Training


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Smallest and largest value of one factor in the runs of one pair."""

    low: float
    high: float

    @property
    def fixed(self) -> bool:
        """Whether it was never varied."""
        return self.low == self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDomain:
    """What was varied for one datapath and program."""

    pair: Pair
    memory_accesses: Range
    queues: Range
    frame_bytes: Range
    link_gbps: Range
    at_ceiling: bool = False
    """Whether no run fell short of what it was offered, so that the servers are only bounded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """Training ranges of each pair; between their ends a cell is inside."""

    pairs: tuple[PairDomain, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """Say what no model can tell from here, one sentence each."""
        return tuple(
            note("{path}: {what}", path=str(known.pair), what=text) for known in self.pairs
            for missing, text in (
                (known.at_ceiling,
                 note("every run is at its ceiling, the service time is only bounded")),
                (known.memory_accesses.fixed,
                 note("one access count only, the cost of an access is not identifiable")),
                (known.queues.fixed, note("one queue count only, scaling is not identifiable")),
            ) if missing
        )  # fmt: skip

    def distance(self, cells: Cells) -> Array:
        """Doublings by which each cell lies outside, summed over factors, shape (n,).

        Accesses are counted from one up, so that 0 to 1 is one doubling.
        """
        return np.asarray(sum(self.distances(cells).values()), dtype=np.float64)

    def distances(self, cells: Cells) -> dict[str, Array]:
        """Doublings by which each cell lies outside, factor by factor, shape (n,) each."""
        moved = cells.of_pairs([known.pair for known in self.pairs])
        outside = {}
        for name in FACTORS:
            low, high = (
                np.array([getattr(getattr(known, name), end) for known in self.pairs])
                for end in ("low", "high")
            )
            offset = 1.0 if name == "memory_accesses" else 0.0
            outside[name] = _doublings(
                getattr(moved, name) + offset, (low + offset, high + offset), moved
            )
        return outside

    def contains(self, cells: Cells) -> Mask:
        """Whether each cell lies inside, shape (n,)."""
        return np.asarray(self.distance(cells) == 0.0)


def _doublings(values: Array, ends: tuple[Array, Array], cells: Cells) -> Array:
    low, high = ends
    lowest, highest = low[cells.pair], high[cells.pair]
    outside = (values < lowest) | (values > highest)
    distance = np.zeros(len(cells))
    if outside.any():
        inner = np.where(values < lowest, lowest, highest)[outside]
        # An endless link is no farther from 100 Gbit/s than a thousandfold faster one.
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.abs(np.log2(values[outside] / inner))
        distance[outside] = np.clip(np.nan_to_num(ratio, nan=10.0, posinf=10.0), 1e-9, 10.0)
    return distance


def domain_of(training: Training) -> Domain:
    """Read off the ranges of each pair."""
    pairs = []
    for code in np.unique(training.cells.pair):
        own = training.take(training.cells.pair == code)
        rows = own.cells
        ranges = {
            name: Range(low=float(getattr(rows, name).min()), high=float(getattr(rows, name).max()))
            for name in FACTORS
        }
        at_ceiling = bool(sustains(own.forwarded_mpps, own.ceiling_mpps).all())
        pairs.append(PairDomain(pair=rows.pairs[code], at_ceiling=at_ceiling, **ranges))
    return Domain(pairs=tuple(pairs))
