"""Which cells to measure next: those that most reduce what is unknown of all cells asked about.

What is unknown of a cell's log rate is the sum of what the constants of the physical model leave
open, and of a smooth deviation from the model; a measurement adds the random effect of a program
load. Cells that a ceiling limits are known without measuring. Each choice is the candidate whose
measurement reduces the variance of all candidates most, given those chosen before: A-optimal over
predictions, taken greedily.

References
----------
Atkinson, Donev and Tobias, Optimum Experimental Designs (2007), ch. 10; deviation from a model as
a Gaussian process: Kennedy and O'Hagan, J. R. Stat. Soc. B 63 (2001); choosing by the variance of
all candidates: Cohn, Neural Networks 9 (1996).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from linerate.errors import bad_input
from linerate.models.capacity.error import log_slopes
from linerate.models.capacity.form import SOCKET_DATAPATHS
from linerate.models.capacity.packet_time import PathForm
from linerate.models.capacity.paths import PathCost, path_limits
from linerate.models.runs.cells import Array, Cells, Codes, Pair

LOAD_SPREAD = 0.08
"""Log spread of program loads: a reload changes the time of an access by several percent."""
DEVIATION = 0.08
"""Log spread of the truth around the physical form."""
CONSTANT = 0.5
"""Log spread of a constant before anything is measured; growth is known as well, absolutely."""
NEAR = (3.0, 1.0, 2.0)
"""Doublings of accesses, queues and frame size over which the deviation stays alike."""
CEILING_SURE = 0.3
"""Log spread of the servers' rate against its ceiling, for whether a cell measures them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Design:
    """Cells to measure, in the order of their worth."""

    rows: Codes
    """Rows of the candidates, shape (budget,); a cell worth measuring twice is there twice."""
    spread_before: float
    """Root mean square of what is unknown of the candidates' log rates."""
    spread_after: Array
    """The same once each of the rows is measured, shape (budget,)."""


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
    known = candidates if measured is None else _joined(measured, candidates)
    unknown = _unknown(paths, known)
    before = len(known) - len(candidates)
    for row in range(before):
        unknown = _measured(unknown, row)
    unknown = unknown[before:, before:]
    start = _spread(unknown)
    rows, spread = [], []
    free = np.full(len(candidates), budget) if left is None else left.copy()
    for _ in range(min(budget, int(free.sum()))):
        worth = (unknown**2).sum(axis=0) / (np.diag(unknown) + LOAD_SPREAD**2)
        rows.append(int(np.argmax(np.where(free > 0, worth, -1.0))))
        free[rows[-1]] -= 1
        unknown = _measured(unknown, rows[-1])
        spread.append(_spread(unknown))
    return Design(rows=np.array(rows, dtype=np.intp), spread_before=start,
                  spread_after=np.array(spread))  # fmt: skip


def _unknown(paths: Sequence[PathCost], cells: Cells) -> Array:
    """Covariance of the cells' log rates before anything is measured, shape (n, n)."""
    moved = cells.of_pairs([path.pair for path in paths])
    covariance = np.zeros((len(cells), len(cells)))
    for code, path in enumerate(paths):
        rows = np.flatnonzero(moved.pair == code)
        if rows.size:
            own = moved.take(rows)
            own = replace(own, pairs=(path.pair,), pair=np.zeros(rows.size, dtype=np.intp))
            covariance[np.ix_(rows, rows)] = _path_unknown(path, own)
    return covariance


def _path_unknown(path: PathCost, cells: Cells) -> Array:
    from scipy.special import ndtr  # slow to load

    slopes = log_slopes(path, _endless(cells))
    places = np.column_stack([
        np.log2(cells.memory_accesses + 1.0), np.log2(cells.queues), np.log2(cells.frame_bytes),
    ]) / NEAR  # fmt: skip
    apart = ((places[:, None, :] - places[None, :, :]) ** 2).sum(axis=2)
    service = CONSTANT**2 * slopes @ slopes.T + DEVIATION**2 * np.exp(-0.5 * apart)
    limits = path_limits((path,), cells)
    open_share = ndtr(np.log(limits.ceiling_mpps / limits.service_mpps) / CEILING_SURE)
    return np.asarray(service * np.outer(open_share, open_share), dtype=np.float64)


def _endless(cells: Cells) -> Cells:
    """Take the ceilings off, so that only the servers are left."""
    return replace(cells, link_gbps=np.full(len(cells), np.inf),
                   offered_mpps=np.full(len(cells), np.inf))  # fmt: skip


def _measured(unknown: Array, row: int) -> Array:
    column = unknown[:, row]
    return np.asarray(unknown - np.outer(column, column) / (column[row] + LOAD_SPREAD**2))


def _spread(unknown: Array) -> float:
    return float(np.sqrt(max(np.diag(unknown).mean(), 0.0)))


def _joined(first: Cells, second: Cells) -> Cells:
    pairs = tuple(dict.fromkeys((*first.pairs, *second.pairs)))
    one, other = first.of_pairs(pairs), second.of_pairs(pairs)
    names = ("pair", "memory_accesses", "queues", "frame_bytes", "link_gbps", "offered_mpps")
    return Cells(pairs=pairs, **{
        name: np.concatenate([getattr(one, name), getattr(other, name)]) for name in names
    })  # fmt: skip
