"""Where a model was fitted, and how far outside it a cell lies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linerate.models.cells import FACTORS, Array, Cells, Mask, Pair
from linerate.models.training import Training


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Smallest and largest value of one factor in the runs of one pair."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDomain:
    """What was varied for one datapath and program."""

    pair: Pair
    memory_accesses: Range
    queues: Range
    frame_bytes: Range
    link_gbps: Range


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """Training ranges of each pair; between their ends a cell is inside."""

    pairs: tuple[PairDomain, ...]

    def distance(self, cells: Cells) -> Array:
        """Doublings by which each cell lies outside, summed over factors, shape (n,).

        Accesses are counted from one up, so that 0 to 1 is one doubling.
        """
        moved = cells.of_pairs([known.pair for known in self.pairs])
        outside = np.zeros(len(cells))
        for name in FACTORS:
            low, high = (
                np.array([getattr(getattr(known, name), end) for known in self.pairs])
                for end in ("low", "high")
            )
            offset = 1.0 if name == "memory_accesses" else 0.0
            outside += _doublings(getattr(moved, name) + offset, (low + offset, high + offset),
                                  moved)  # fmt: skip
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
        rows = training.cells.take(training.cells.pair == code)
        ranges = {
            name: Range(low=float(getattr(rows, name).min()), high=float(getattr(rows, name).max()))
            for name in FACTORS
        }
        pairs.append(PairDomain(pair=rows.pairs[code], **ranges))
    return Domain(pairs=tuple(pairs))
