"""Which cells to measure next: those that most reduce what is unknown of all cells asked about.

What is unknown of a cell's log rate is the sum of what the constants of the physical model leave
open, and of a smooth deviation from the model; a measurement adds the random effect of a program
load. Cells that a ceiling limits are known without measuring. Each choice is the candidate whose
measurement reduces the variance of all candidates most, given those chosen before: A-optimal over
predictions, taken greedily. Paths that have too few cells for a fit get these first.

References
----------
Atkinson, Donev and Tobias, Optimum Experimental Designs (2007), ch. 10; deviation from a model as
a Gaussian process: Kennedy and O'Hagan, J. R. Stat. Soc. B 63 (2001); choosing by the variance of
all candidates: Cohn, Neural Networks 9 (1996).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linerate.errors import bad_input
from linerate.models.capacity.form import SOCKET_DATAPATHS
from linerate.models.capacity.packet_time import PathForm
from linerate.models.capacity.paths import PathCost
from linerate.models.design.needed import Needed, factors_of
from linerate.models.design.unknown import Unknown, unknown_of
from linerate.models.runs.cells import Array, Cells, Codes, Pair
from linerate.models.side_by_side import side_by_side

ALIKE = 1e-9
"""Share by which two worths may differ by rounding."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Design:
    """Cells to measure, in the order of their worth."""

    rows: Codes
    """Rows of the candidates, shape (budget,); a cell worth measuring twice is there twice."""
    spread_before: float
    """Root mean square of what is unknown of the candidates' log rates."""
    spread_after: Array
    """The same once each of the rows is measured, shape (budget,)."""
    cell_before: Array
    """What is unknown of each candidate's log rate, its standard deviation, shape (n,)."""
    cell_after: Array
    """The same once all of the rows are measured, shape (n,)."""


def guessed_path(pair: Pair) -> PathCost:
    """Assume costs of a path of which nothing is known: orders of magnitude of a server's core."""
    socket = pair.datapath in SOCKET_DATAPATHS
    form = PathForm(law="power", by_byte=True, single_socket=socket, stages=2 if socket else 1)
    base_ns = {"xdp_native": 100.0}.get(pair.datapath, 700.0)
    return PathCost(pair=pair, form=form, base_ns=base_ns, access_ns=2.0, byte_ns=0.05,
                    user_ns=0.75 * base_ns if socket else 0.0, coefficients=(0.2,))  # fmt: skip


def choose_cells(
    paths: Sequence[PathCost], candidates: Cells, budget: int, *, measured: Cells | None = None,
    left: Codes | None = None,
) -> Design:  # fmt: skip
    """Choose the cells whose measurement leaves least unknown of all candidates.

    Parameters
    ----------
    paths
        Costs by which the cells are judged: fitted on what was measured, else guessed.
    candidates
        Cells that can be measured, and whose rates are asked for.
    budget
        Runs to choose, each with a program load of its own.
    measured
        Cell of each run that is there already.
    left
        Runs that each candidate has left, shape (n,); None for no end of them.

    Raises
    ------
    BadInputError
        No candidate, a budget below 1, or a pair that is not among ``paths``.
    """
    if budget < 1 or not len(candidates):
        raise bad_input("budget", budget, why=f"of {len(candidates)} cells",
                        allowed="at least 1 run, and 1 cell to measure",
                        do="name a budget, and factors that make cells")  # fmt: skip
    seen = candidates.take(np.arange(0)) if measured is None else measured
    free = np.full(len(candidates), budget) if left is None else left.copy()
    return choose(_parts(paths, candidates, seen), budget, free, Needed(candidates, seen))


def choose(
    parts: list[tuple[Codes, Unknown]], budget: int, left: Codes, needed: Needed | None = None
) -> Design:
    """Choose the candidates whose measurement leaves least unknown of all.

    Parameters
    ----------
    parts
        Rows of the candidates, ascending, with what is unknown of these: a run of one part shows
        nothing of the others.
    budget
        Runs to choose, at least 1.
    left
        Runs that each candidate has left, shape (n,).
    needed
        What a fit needs of each path, which is chosen first; None for nothing.
    """
    free, known = left.copy(), _Known(parts, len(left))
    start, before = known.spread, known.by_cell
    rows, spread = [], []
    for _ in range(min(budget, int(free.sum()))):
        there = free > 0
        first = there & needed.rows if needed is not None else np.zeros_like(there)
        worth = np.where(first if first.any() else there, known.worth, -1.0)
        # Of cells that are worth the same, but for rounding, the first.
        rows.append(int(np.argmax(worth >= (1.0 - ALIKE) * worth.max())))
        free[rows[-1]] -= 1
        known.measure(rows[-1])
        if needed is not None:
            needed.measure(rows[-1])
        spread.append(known.spread)
    return Design(rows=np.array(rows, dtype=np.intp), spread_before=start,
                  spread_after=np.array(spread), cell_before=before,
                  cell_after=known.by_cell)  # fmt: skip


class _Known:
    """What is unknown of all candidates, path by path: a run shows nothing of other paths."""

    def __init__(self, parts: list[tuple[Codes, Unknown]], size: int) -> None:
        self._parts = list(parts)
        self._size = size
        self.worth = np.empty(size)
        for rows, unknown in parts:
            self.worth[rows] = unknown.worth

    @property
    def spread(self) -> float:
        """Root mean square of what is unknown."""
        return float(np.sqrt(sum(part.variance.sum() for _, part in self._parts) / self._size))

    @property
    def by_cell(self) -> Array:
        """What is unknown of each candidate, shape (n,)."""
        found = np.zeros(self._size)
        for rows, part in self._parts:
            found[rows] = np.sqrt(part.variance)
        return found

    def measure(self, row: int) -> None:
        for place, (rows, unknown) in enumerate(self._parts):
            at = int(np.searchsorted(rows, row))
            if at < rows.size and rows[at] == row:
                after = unknown.measured(at)
                self._parts[place] = rows, after
                self.worth[rows] = after.worth


def _parts(
    paths: Sequence[PathCost], candidates: Cells, measured: Cells
) -> list[tuple[Codes, Unknown]]:
    pairs = [path.pair for path in paths]
    asked, (seen, runs) = candidates.of_pairs(pairs), _distinct(measured.of_pairs(pairs))
    places = [np.flatnonzero(asked.pair == code) for code in range(len(paths))]
    of_paths = [
        (path, asked.take(rows), seen.take(seen.pair == code), runs[seen.pair == code])
        for code, (path, rows) in enumerate(zip(paths, places, strict=True)) if rows.size
    ]  # fmt: skip
    unknown = side_by_side(unknown_of, of_paths)
    return list(zip((rows for rows in places if rows.size), unknown, strict=True))


def _distinct(cells: Cells) -> tuple[Cells, Array]:
    """Keep each cell once, and count its runs."""
    _, first, runs = np.unique(factors_of(cells), axis=0, return_index=True, return_counts=True)
    return cells.take(first), np.asarray(runs, dtype=np.float64)
