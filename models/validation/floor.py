"""Noise floors: the error that is left to a perfect model, of single runs and of medians of runs.

A floor stands beside the error that it belongs to. A run is compared with the others of its cell,
never with a median that it is part of: of three runs one would deviate by exactly 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from linerate.models.runs.cells import Array
from linerate.models.validation.spread import Spread, spread

DRAWS = 200
"""Times that the loads of each cell are drawn anew."""
DRAWS_MIN, DRAWN_MAX = 5, 2_000_000
"""Times at least, where cells of one number of loads would draw more loads than that together."""
LOADS_PAIRED_MAX = 32
"""Loads of a cell up to which each is held against each other."""


def floor_of_runs(values: ArrayLike, cell: ArrayLike) -> Spread | None:
    """Deviation of each run from the median of the others of its cell.

    Parameters
    ----------
    values
        What was measured, shape (n,), positive, in any unit.
    cell
        Code of each run's cell, shape (n,).

    Returns
    -------
    Over all cells of at least 2 runs; None without such.
    """
    found = log_deviations(values, cell)
    return spread(np.expm1(found)) if found.size else None


def log_deviations(values: ArrayLike, cell: ArrayLike) -> Array:
    """Log ratio of each run to the median of the others of its cell, for cells of at least 2.

    >>> log_deviations([1.0, 1.0, np.e], [0, 0, 1])
    array([0., 0.])
    """
    found = [
        np.log(values_of / _median_of_others(values_of)).T.ravel()
        for values_of in _by_runs(values, cell)
    ]
    return np.concatenate(found) if found else np.empty(0)


def _median_of_others(values_of: Array) -> Array:
    """Median of each row without each of its values; the values sorted once, not once for each."""
    order = np.argsort(values_of, axis=1)
    ordered = np.take_along_axis(values_of, order, axis=1)
    place = np.argsort(order, axis=1)
    others = values_of.shape[1] - 1
    middle = [
        np.take_along_axis(ordered, at + (at >= place), axis=1)
        for at in ((others - 1) // 2, others // 2)
    ]
    return (middle[0] + middle[1]) / 2.0


def floor_of_medians(values: ArrayLike, cell: ArrayLike, path: ArrayLike) -> Spread | None:
    """Deviation of cells' medians from what endless loads would give: a perfect model's error.

    As many loads as each cell has are drawn anew, and their median is taken. What a load deviates
    by is drawn from the differences between two loads of one cell, over the square root of 2, of
    all cells of the path: within one cell of three loads, one load that is far off would come
    twice among three too often.

    Parameters
    ----------
    values
        What was measured, shape (n,), positive, in any unit; one run of each load.
    cell
        Code of each run's cell, shape (n,).
    path
        Code of what deviates alike, shape (n,): datapath and program.

    Returns
    -------
    Over all cells of at least 2 loads and ``DRAWS`` draws of each; None without such.

    References
    ----------
    Davison and Hinkley, Bootstrap Methods and their Application (1997), ch. 2.
    """
    rng = np.random.default_rng(0)
    values, cell, path = np.asarray(values, dtype=np.float64), np.asarray(cell), np.asarray(path)
    found = [
        draws
        for code in np.unique(path)
        for draws in _drawn_medians(_by_runs(values[path == code], cell[path == code]), rng)
    ]
    return spread(np.concatenate(found)) if found else None


def _by_runs(values: ArrayLike, cell: ArrayLike) -> list[Array]:
    """Cells of 2 runs, of 3, and so on: each of shape (cells, runs)."""
    order = np.argsort(np.asarray(cell), kind="stable")
    ordered = np.asarray(values, dtype=np.float64)[order]
    _, first, runs = np.unique(np.asarray(cell)[order], return_index=True, return_counts=True)
    return [
        ordered[first[runs == many][:, None] + np.arange(many)]
        for many in np.unique(runs[runs >= 2])
    ]


def _drawn_medians(by_runs: Sequence[Array], rng: np.random.Generator) -> Iterator[Array]:
    """Relative deviations of medians of drawn loads, for each number of loads."""
    if not by_runs:
        return
    apart = np.concatenate([_differences(np.log(values_of)) for values_of in by_runs]) / np.sqrt(2)
    for values_of in by_runs:
        draws = int(np.clip(DRAWN_MAX // values_of.size, DRAWS_MIN, DRAWS))
        cells, loads = values_of.shape
        yield np.expm1(np.median(rng.choice(apart, (cells * draws, loads)), axis=1))


def _differences(logs: Array) -> Array:
    """Of each two loads of a cell, both ways; of many loads those that are near in the table."""
    loads = logs.shape[1]
    if loads > LOADS_PAIRED_MAX:
        lags = range(1, LOADS_PAIRED_MAX)
        ahead = np.concatenate([(logs - np.roll(logs, lag, axis=1)).ravel() for lag in lags])
        return np.concatenate([ahead, -ahead])
    return (logs[:, :, None] - logs[:, None, :])[:, ~np.eye(loads, dtype=bool)].ravel()
