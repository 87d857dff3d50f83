"""What keeps a smooth function from rising with accesses: it is asked at knots only.

The knots are the access counts that were measured. Values at them are made to fall, and a cell
between two of them lies on the line between, so that the whole falls.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linerate.models.runs.cells import Array, Cells, Codes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Knots:
    """m places, each at k access counts; and n cells that lie at the places."""

    cells: Cells
    """The m * k cells of the knots, place by place."""
    count: int
    """k, at least 2."""
    place: Codes
    """Place of each of the n cells."""
    left: Codes
    """Knot at or before each of the n cells; the last but one beyond the last."""

    def table(self, values: Array) -> Array:
        """Values at the knots as a table, shape (m, k)."""
        return values.reshape(-1, self.count)

    def between(self, values: Array, coordinates: Array, coordinate: Array) -> Array:
        """Values on the lines between knots, held at the ends, shape (n,).

        Parameters
        ----------
        values
            At the knots, shape (m, k).
        coordinates
            Along which the lines are straight, at the knots, shape (m, k).
        coordinate
            The same at the n cells.
        """
        low, high = (coordinates[self.place, self.left + step] for step in (0, 1))
        span = high - low
        share = (coordinate - low) / np.where(span == 0.0, np.inf, span)
        share = np.clip(share, 0.0, 1.0)
        first, second = (values[self.place, self.left + step] for step in (0, 1))
        return np.asarray((1.0 - share) * first + share * second)


def knots_of(cells: Cells, accesses: Array) -> Knots:
    """Lay knots for n cells at measured access counts."""
    counts = np.unique(accesses)
    counts = counts if counts.size > 1 else np.repeat(counts, 2)
    factors = np.column_stack([cells.pair, cells.queues, cells.frame_bytes, cells.link_gbps])
    _, first, place = np.unique(factors, axis=0, return_index=True, return_inverse=True)
    repeated = cells.take(np.repeat(first, counts.size))
    left = np.searchsorted(counts, cells.memory_accesses, side="right") - 1
    return Knots(
        cells=replace(repeated, memory_accesses=np.tile(counts, first.size)), count=counts.size,
        place=np.asarray(place.reshape(-1), dtype=np.intp),
        left=np.clip(left, 0, counts.size - 2).astype(np.intp),
    )  # fmt: skip


def falling(values: Array) -> Array:
    """Make values fall or stay along the last axis.

    >>> falling(np.array([3.0, 1.0, 2.0]))
    array([3., 1., 1.])
    """
    return np.asarray(np.minimum.accumulate(values, axis=-1))
