"""Cells that a fit needs of each path, whatever they are worth: with fewer there is no model."""

from __future__ import annotations

import numpy as np

from linerate.models.capacity.form import cells_needed
from linerate.models.capacity.packet_time import PathForm
from linerate.models.design.unknown import joined
from linerate.models.runs.cells import Array, Cells, Mask


class Needed:
    """Distinct cells that each path still needs, while runs are chosen."""

    def __init__(self, candidates: Cells, measured: Cells) -> None:
        """Count what the runs that are there leave.

        Parameters
        ----------
        candidates
            Cells that can be measured.
        measured
            Cell of each run that is there already.
        """
        both = joined(measured, candidates)
        _, cell = np.unique(factors_of(both), axis=0, return_inverse=True)
        seen, self._cell = np.split(cell.reshape(-1), [len(measured)])
        self._path = both.pair[len(measured) :]
        self._open = ~np.isin(self._cell, seen)
        _, first = np.unique(seen, return_index=True)
        there = np.bincount(both.pair[: len(measured)][first], minlength=len(both.pairs))
        self._left = np.array([_needed(both, code) for code in range(len(both.pairs))]) - there

    @property
    def rows(self) -> Mask:
        """Candidates that are of no use to a fit but as further cells of their path, shape (n,)."""
        return self._open & (self._left[self._path] > 0)

    def measure(self, row: int) -> None:
        """Take in a run of a candidate."""
        if self._open[row]:
            self._left[self._path[row]] -= 1
            self._open &= self._cell != self._cell[row]


def _needed(cells: Cells, code: int) -> int:
    accesses = cells.memory_accesses[cells.pair == code]
    return cells_needed(PathForm(by_access=np.unique(accesses).size > 1))


def factors_of(cells: Cells) -> Array:
    """Lay out what tells cells apart, shape (n, 6)."""
    return np.asarray(np.column_stack([
        cells.pair, cells.memory_accesses, cells.queues, cells.frame_bytes, cells.link_gbps,
        cells.offered_mpps,
    ]), dtype=np.float64)  # fmt: skip
