"""Several cells as one series: what moves them together shows where no cell shows it alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from linerate.models.arrays import Array
from linerate.models.trends.noise import SPREAD_MIN, spreads_of

COVERAGE = 0.9
Moved = Literal["with it", "the other way", "not seen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellStep:
    """What one cell says of a step that was found in several together."""

    cell: str
    """Its name, as ``--cell`` takes it."""
    ratio: float
    """Its level after over its level before."""
    lower: float
    upper: float
    """90 % interval, given where the step is."""
    moved: Moved
    """Whether its own interval leaves 1 out, and on which side."""


def pooled(logs: Array) -> Array:
    """Take one number of each campaign: the median of its cells, quiet ones counting more.

    A cell counts by the inverse of its own spread, which its neighbouring campaigns tell. A median
    is not moved by a few cells that step alone.

    Parameters
    ----------
    logs
        Natural logarithms of rates, each cell's over its own level, shape (campaigns, cells).

    Returns
    -------
    Shape (campaigns,).

    Examples
    --------
    >>> pooled(np.array([[0.0, 0.0, 0.3], [-0.1, -0.1, 0.0]])).tolist()
    [0.0, -0.1]
    """
    if logs.shape[1] == 1:
        return np.asarray(logs[:, 0])
    weights = 1.0 / spreads_of(logs)
    order = np.argsort(logs, axis=1)
    ordered = np.take_along_axis(logs, order, axis=1)
    share = np.cumsum(weights[order], axis=1) / weights.sum()
    # The middle of each cell's share: of equal weights, this is the plain median.
    middle = share - 0.5 * weights[order] / weights.sum()
    return np.array([np.interp(0.5, at, own) for at, own in zip(middle, ordered, strict=True)])


def cell_steps(
    logs: Array, cells: tuple[str, ...], places: tuple[int, int, int], *, down: bool
) -> Iterator[CellStep]:
    """Take each cell's own step where one was found in all together.

    Parameters
    ----------
    logs
        As for ``pooled``.
    cells
        Their names.
    places
        First campaign of the level before, of the level after, and behind that.
    down
        Whether the step found is a fall.
    """
    from scipy.stats import t  # slow to load

    first, at, last = places
    before, after = logs[first:at], logs[at:last]
    step = after.mean(axis=0) - before.mean(axis=0)
    freedom = max(last - first - 2, 1)
    around = ((before - before.mean(axis=0)) ** 2).sum(axis=0)
    around += ((after - after.mean(axis=0)) ** 2).sum(axis=0)
    spread = np.maximum(np.sqrt(around / freedom), SPREAD_MIN)
    width = float(t.ppf((1.0 + COVERAGE) / 2.0, freedom))
    half = width * spread * np.sqrt(1.0 / len(before) + 1.0 / len(after))
    for name, own, reach in zip(cells, map(float, step), map(float, half), strict=True):
        seen = abs(own) > reach
        moved: Moved = "not seen" if not seen else "with it" if (own < 0.0) == down else (
            "the other way"
        )  # fmt: skip
        yield CellStep(
            cell=name, ratio=float(np.exp(own)), lower=float(np.exp(own - reach)),
            upper=float(np.exp(own + reach)), moved=moved,
        )  # fmt: skip
