"""CPU share as sampling by ticks sees it: short bursts that fall between two ticks are missed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linerate.models.runs.cells import Array

MISSED_BELOW_MPPS = 0.5
"""Load of one core below which a tick finds it idle more often than it is: packets come one by
one, and each is done before the next tick."""
ROWS_MIN = 8
"""Runs below which nothing is learnt and utilisation is taken as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledShare:
    """How a sampled share rises with what it depends on; nothing but that it rises is assumed."""

    levels: tuple[float, ...]
    """Ascending; utilisation, or load of a core in Mpps."""
    shares: tuple[float, ...]
    """Sampled share at each level, 0 to 1, ascending; both empty where nothing was learnt."""

    def at(self, values: Array) -> Array:
        """Share at each value, shape (n,); the value itself, at most 1, where none was learnt."""
        if not self.levels:
            return np.asarray(np.minimum(values, 1.0))
        return np.asarray(np.interp(values, self.levels, self.shares))


def fit_sampled(values: Array, busy: Array) -> SampledShare:
    """Fit by monotone least squares.

    Parameters
    ----------
    values
        What the share rises with, shape (n,).
    busy
        Sampled shares, shape (n,); nan where not measured.

    References
    ----------
    Robertson, Wright and Dykstra, Order Restricted Statistical Inference (1988), ch. 1.

    Examples
    --------
    >>> curve = fit_sampled(np.repeat([0.2, 0.4, 0.8], 4), np.repeat([0.05, 0.1, 0.7], 4))
    >>> curve.at(np.array([0.1, 0.3, 0.8])).round(3).tolist()
    [0.05, 0.075, 0.7]
    """
    from scipy.optimize import isotonic_regression  # slow to load

    known = np.isfinite(busy) & np.isfinite(values)
    if int(known.sum()) < ROWS_MIN:
        return SampledShare(levels=(), shares=())
    levels, level, runs = np.unique(values[known], return_inverse=True, return_counts=True)
    means = np.bincount(level, weights=busy[known]) / runs
    shares = np.clip(isotonic_regression(means, weights=runs).x, 0.0, 1.0)
    # Within a step only its ends are kept.
    rises = np.diff(shares) != 0.0
    ends = np.append(True, rises) | np.append(rises, True)
    return SampledShare(levels=tuple(levels[ends].tolist()), shares=tuple(shares[ends].tolist()))
