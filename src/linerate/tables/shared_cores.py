"""The rate that a run would have had with the device's cores to itself.

While others use the other hardware thread of a core, packets take longer there. The logarithm of a
rate falls with the share of looks that the probe ``sharing`` saw others at: r = r0 exp(-k s). How
steeply is up to the others as much as to ourselves, so k is learnt anew from each campaign, of
trials of one cell that follow each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from linerate.cells import Cell
from linerate.line_rate import sustains
from linerate.records import JournalEntry

PAIRS_MIN = 5
"""Fewer pairs of trials do not even tell how sure they are."""
STEEPEST = 1.4
"""Four times as long: no two threads of a core have shown that."""
ERROR_MAX = 0.15
"""Standard error from which on a slope is not known."""
BELOW = 0.95
"""Share of what was offered that no trial of a cell comes to whose rate is that of the cores."""
_MEDIAN_ERROR = 1.2533
"""Standard error of a fit by absolute deviations over that by squares, of normal samples."""
_MAD_DEVIATION = 1.4826
"""Standard deviation over the median absolute one, of normal samples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slope:
    """How a rate falls with the share of looks that saw others."""

    value: float
    """Of the logarithm of the rate, 0 to ``STEEPEST``, counted downwards."""
    error: float
    """Standard error of it."""
    pairs: int
    """Pairs of trials that tell it."""


@dataclass(slots=True)
class LookedTrials:
    """Trials beside which the device's cores were looked at, kept as they come by."""

    _of_cell: defaultdict[tuple[str, Cell], list[tuple[float, float]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """By box and cell: Mpps, and the share of looks that saw others."""

    def through(self, runs: Iterable[Sequence[JournalEntry]]) -> Iterator[Sequence[JournalEntry]]:
        """Hand on runs, and keep what their trials tell."""
        for run in runs:
            for entry in run:
                trial = entry.trial
                looks = trial.probes.get("sharing_looks", 0)
                if looks and trial.forwarded_packets and not trial.failure:
                    shared = trial.probes["sharing_shared_looks"] / looks
                    self._of_cell[entry.box, entry.cell].append((trial.forwarded_mpps, shared))
            yield run

    def slopes(self) -> dict[str, Slope]:
        """Estimate the slope of each box that tells it, by the name that its trials carry."""
        steps: defaultdict[str, list[NDArray[np.float64]]] = defaultdict(list)
        for (box, cell), trials in self._of_cell.items():
            mpps, shared = np.array(trials).T
            if mpps.max() < BELOW * cell.load.offered_mpps:
                steps[box].append(np.diff((shared, np.log(mpps))))
        found = {box: slope_of(*np.hstack(own)) for box, own in steps.items()}
        return {box: slope for box, slope in found.items() if slope is not None}


def slope_of(shared: NDArray[np.float64], log_mpps: NDArray[np.float64]) -> Slope | None:
    """Fit a line through the origin by least absolute deviations: some trials were disturbed else.

    Parameters
    ----------
    shared, log_mpps
        Differences between two trials of one cell, of the share of looks that saw others and of
        the logarithm of the rate, shape (n,).

    Returns
    -------
    None where it is not known: too few pairs, all of one share, or an error over ``ERROR_MAX``.

    References
    ----------
    Such a line as a weighted median of slopes, with its standard error: Bloomfield and Steiger,
    Least Absolute Deviations (1983).

    >>> shared = np.tile([0.3, -0.1, 0.5], 5)
    >>> slope_of(shared, -0.4 * shared)
    Slope(value=0.4, error=0.0, pairs=15)
    """
    shared, log_mpps = shared[shared != 0.0], log_mpps[shared != 0.0]
    if len(shared) < PAIRS_MIN:
        return None
    falls = np.quantile(-log_mpps / shared, 0.5, weights=np.abs(shared), method="inverted_cdf")
    left = _MAD_DEVIATION * float(np.median(np.abs(log_mpps + falls * shared)))
    error = _MEDIAN_ERROR * left / float(np.sqrt(np.sum(shared**2)))
    if error > ERROR_MAX:
        return None
    return Slope(value=float(np.clip(falls, 0.0, STEEPEST)), error=error, pairs=len(shared))


def unshared_mpps(rows: pd.DataFrame, slopes: Mapping[str, Slope]) -> NDArray[np.float64]:
    """Give the rate that each run would have had with the cores to itself, shape (n,).

    Parameters
    ----------
    rows
        Runs, with ``shared_core_ratio``.
    slopes
        By the name of the box in the table.

    Returns
    -------
    nan where it is not known; of what carried all that was offered, the rate as it is.
    """
    mpps, shared, offered_mpps = (
        rows[name].to_numpy(dtype=np.float64, na_value=np.nan)
        for name in ("forwarded_mpps", "shared_core_ratio", "offered_mpps")
    )
    known = {box: slope.value for box, slope in slopes.items()}
    falls = rows["box"].map(known).to_numpy(dtype=np.float64, na_value=np.nan)
    alone = np.minimum(mpps * np.exp(falls * shared), offered_mpps)
    full = sustains(mpps, offered_mpps) & np.isfinite(shared)
    return np.where(full, mpps, alone)
