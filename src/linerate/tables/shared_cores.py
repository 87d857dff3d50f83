"""The rate that a run would have had with the device's cores to itself, where no stretch tells it.

While others use the other hardware thread of a core, packets take longer there. The logarithm of a
rate falls with the share of looks that the probe ``sharing`` saw others at: r = r0 exp(-k s). How
steeply is up to the others as much as to the program, so k is learnt anew from each campaign, of
the trials whose undisturbed stretches tell r0 (`linerate.stretches`): of those of the same program
and accesses, of the same program, or of all, where these are enough. Where no stretch was timed,
trials of one load tell k by what they differ in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import inf, isnan, log, nan
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from linerate.line_rate import sustains
from linerate.normal import MAD_DEVIATION, MEDIAN_ERROR
from linerate.records import JournalEntry, Trial
from linerate.stretches import STEEPEST, unshared_mpps

TRIALS_MIN = 5
"""Fewer do not even tell how sure they are."""
ERROR_MAX = 0.15
"""Standard error from which on a slope is not known."""
BELOW = 0.95
"""Share of what was offered from which on a rate is not that of the cores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slope:
    """How a rate falls with the share of looks that saw others."""

    value: float
    """Of the logarithm of the rate, 0 to ``STEEPEST``, counted downwards."""
    error: float
    """Standard error of it."""
    trials: int
    """That tell it."""


Group: TypeAlias = "tuple[str, int] | tuple[str] | tuple[()]"
"""A program and its memory accesses, a program, or all."""


def _groups(program: str, accesses: int) -> tuple[Group, ...]:
    """Name the groups that a trial is of, the closest first."""
    return (program, accesses), (program,), ()


def _shared(trial: Trial) -> float:
    return trial.probes["sharing_shared_looks"] / trial.probes["sharing_looks"]


Point: TypeAlias = "tuple[float, float]"
"""Share of looks that saw others, and the logarithm of a rate."""


@dataclass(slots=True)
class LookedTrials:
    """Trials beside which the device's cores were looked at, as they come by: what they tell."""

    _points: defaultdict[str, defaultdict[Group, list[Point]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    """By box and group, of rates over those alone."""
    _untimed: defaultdict[str, defaultdict[Group, list[list[Point]]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    """By box and group those of each run whose trials were not timed by stretches."""

    def through(self, runs: Iterable[Sequence[JournalEntry]]) -> Iterator[Sequence[JournalEntry]]:
        """Hand on runs, and keep what their trials tell."""
        for run in runs:
            for entry in run:
                self._keep(entry)
            self._keep_untimed(run)
            yield run

    def _keep(self, entry: JournalEntry) -> None:
        trial, cell = entry.trial, entry.cell
        alone_mpps = unshared_mpps(trial, cell.load.offered_mpps)
        if not 0.0 < trial.forwarded_mpps < BELOW * cell.load.offered_mpps or isnan(alone_mpps):
            return
        point = _shared(trial), log(trial.forwarded_mpps / alone_mpps)
        for group in _groups(cell.program, cell.memory_accesses):
            self._points[entry.box][group].append(point)

    def _keep_untimed(self, run: Sequence[JournalEntry]) -> None:
        first, cell = run[0], run[0].cell
        points = [
            (_shared(trial), log(trial.forwarded_mpps))
            for trial in (entry.trial for entry in run)
            if trial.probes.get("sharing_looks") and not trial.stretches_ns
            and 0.0 < trial.forwarded_mpps < BELOW * cell.load.offered_mpps
        ]  # fmt: skip
        for group in _groups(cell.program, cell.memory_accesses):
            self._untimed[first.box][group].append(points)

    def slopes(self) -> dict[str, dict[Group, Slope]]:
        """Estimate the slope of each box's groups that tell it, by the name of its trials."""
        found: defaultdict[str, dict[Group, Slope]] = defaultdict(dict)
        for box, untimed in self._untimed.items():
            for group, loads in untimed.items():
                if slope := slope_of_loads(loads):
                    found[box][group] = slope
        for box, timed in self._points.items():
            for group, points in timed.items():
                if slope := slope_of(*np.array(points).T):
                    found[box][group] = slope
        return found


def slope_of_loads(loads: Iterable[Sequence[Point]], error_max: float = ERROR_MAX) -> Slope | None:
    """Estimate a slope by what trials of the same load differ in.

    Parameters
    ----------
    loads
        Points of each load.
    error_max
        Standard error from which on it is not known.

    Returns
    -------
    None where it is not known.

    >>> slope = slope_of_loads([[(s, level - 0.4 * s) for s in (0.1, 0.2, 0.6, 0.9)]
    ...                         for level in (1.0, 2.0)])
    >>> round(slope.value, 3), slope.trials
    (0.4, 8)
    """
    loads = [points for points in loads if len(points) > 1]
    trials = sum(len(points) for points in loads)
    pairs = [
        (one[0] - other[0], one[1] - other[1])
        for points in loads
        for one, other in combinations(points, 2)
    ]
    independent = trials - len(loads)
    if independent < TRIALS_MIN:
        return None
    shared, log_mpps = np.array(pairs).T
    slope = slope_of(shared, log_mpps, error_max)
    # Each trial is in as many pairs as its load has others, and tells no more for that.
    error = slope.error * (len(pairs) / independent) ** 0.5 if slope else inf
    return replace(slope, error=error, trials=trials) if slope and error <= error_max else None


def slope_of(
    shared: NDArray[np.float64], log_mpps: NDArray[np.float64], error_max: float = ERROR_MAX
) -> Slope | None:
    """Fit a line through the origin by least absolute deviations: some trials were disturbed else.

    Parameters
    ----------
    shared, log_mpps
        Of each trial the share of looks that saw others, and the logarithm of its rate over that
        alone, shape (n,).
    error_max
        Standard error from which on it is not known.

    Returns
    -------
    None where it is not known: too few, all alone, or too large an error.

    References
    ----------
    Such a line as a weighted median of slopes, with its standard error: Bloomfield and Steiger,
    Least Absolute Deviations (1983).

    >>> shared = np.tile([0.3, 0.1, 0.5], 5)
    >>> slope_of(shared, -0.4 * shared)
    Slope(value=0.4, error=0.0, trials=15)
    """
    shared, log_mpps = shared[shared != 0.0], log_mpps[shared != 0.0]
    if len(shared) < TRIALS_MIN:
        return None
    falls = np.quantile(-log_mpps / shared, 0.5, weights=np.abs(shared), method="inverted_cdf")
    left = MAD_DEVIATION * float(np.median(np.abs(log_mpps + falls * shared)))
    error = MEDIAN_ERROR * left / float(np.sqrt(np.sum(shared**2)))
    if error > error_max:
        return None
    return Slope(value=float(np.clip(falls, 0.0, STEEPEST)), error=error, trials=len(shared))


def led_back_mpps(
    rows: pd.DataFrame, slopes: Mapping[str, Mapping[Group, Slope]]
) -> NDArray[np.float64]:
    """Estimate the rate that each run would have had with the cores to itself, shape (n,).

    Parameters
    ----------
    rows
        Runs, with ``shared_core_ratio``.
    slopes
        By the name of the box in the table, and by group: the closest that has one counts.

    Returns
    -------
    nan where it is not known; of what carried all that was offered, the rate as it is.
    """
    mpps, shared, offered_mpps = (
        rows[name].to_numpy(dtype=np.float64, na_value=np.nan)
        for name in ("forwarded_mpps", "shared_core_ratio", "offered_mpps")
    )
    keys = zip(rows["box"], rows["program"], rows["memory_accesses"], strict=True)
    falls = np.array([_closest(slopes.get(box, {}), program, accesses)
                      for box, program, accesses in keys], dtype=np.float64)  # fmt: skip
    alone = np.minimum(mpps * np.exp(falls * shared), offered_mpps)
    full = sustains(mpps, offered_mpps) & np.isfinite(shared)
    return np.where(full, mpps, alone)


def _closest(slopes: Mapping[Group, Slope], program: str, accesses: int) -> float:
    return next(
        (slopes[group].value for group in _groups(program, accesses) if group in slopes), nan
    )
