"""Grouping a series by minimum description length: where its level steps, if anywhere."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linerate.models.arrays import Array

SPREAD_MIN = 1e-3
"""Of logarithms: samples that differ by less than a thousandth are as good as equal."""
EVIDENCE_BITS = 3.0
"""What a group must save: odds of 8 to 1. Without it noise that is estimated from ten samples makes
a group of itself in one series of a hundred samples in ten."""
STEP_MAX = 0.01
"""Of a named average: where noise is large, it is named to a hundredth all the same."""
GROUP_MIN = 2
"""Samples of a group: one alone is an outlier, not a level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """A series in groups of one level each."""

    starts: tuple[int, ...]
    """Index of the first sample of each group; the first is 0."""
    spread: float
    """Standard deviation of a sample around the level of its group, natural logarithm."""
    saved_bits: tuple[float, ...]
    """Of each start but the first: what the message would be longer without it."""


def spread_of(samples: Array) -> float:
    """Estimate the noise of a series from the differences of neighbours, whatever its level does.

    Parameters
    ----------
    samples
        Shape (n,), natural logarithms.

    References
    ----------
    von Neumann, The mean square successive difference, Ann. Math. Stat. 12 (1941).
    """
    return float(spreads_of(samples))


def spreads_of(samples: Array) -> Array:
    """Do as ``spread_of`` for several series at once.

    Parameters
    ----------
    samples
        Shape (n, series), natural logarithms.

    Returns
    -------
    Shape (series,).
    """
    if len(samples) < 2:
        return np.full(samples.shape[1:], SPREAD_MIN)
    apart = np.mean(np.diff(samples, axis=0) ** 2, axis=0)
    return np.asarray(np.maximum(np.sqrt(apart / 2.0), SPREAD_MIN))


def group(samples: Array, may_start: NDArray[np.bool_] | None = None) -> Grouping:
    """Find the groups whose description is shortest, of all ways to part the series.

    A message says for each group where it starts, its average, and the samples as normal draws
    around that; the spread is one for all groups. In bits, for m samples of n with a sum of squares
    S around their average, a spread s and steps d of the average, d = s up to 0.01:
    log2 n + log2(1 + 1/d) + log2(m) / 2 + S / (2 s² ln 2).
    To be named, a group must save ``EVIDENCE_BITS``.

    Parameters
    ----------
    samples
        Shape (n,), natural logarithms of rates, in order.
    may_start
        Shape (n,), whether a group may start at a sample; anywhere if left out.

    References
    ----------
    FD.io CSIT, Trend Analysis (docs.fd.io/csit, methodology): groups of normal samples by minimum
    description length, the average uniform below the maximum. There each group has a spread of its
    own. One spread for all: Davis, Lee and Rodriguez-Yam, Structural break estimation for
    nonstationary time series models, J. Am. Stat. Assoc. 101 (2006).
    """
    count = len(samples)
    spread = spread_of(samples)
    costs = _costs(samples, spread)
    if may_start is not None:
        costs[~may_start & (np.arange(count) > 0)] = math.inf
    best, cut = np.zeros(count + 1), np.zeros(count + 1, dtype=int)
    for end in range(1, count + 1):
        whole = best[:end] + costs[:end, end]
        cut[end] = int(np.argmin(whole))
        best[end] = whole[cut[end]]
    starts = [count]
    while starts[-1] > 0:
        starts.append(int(cut[starts[-1]]))
    ends = starts[::-1]  # 0, each start, n
    saved = (
        EVIDENCE_BITS + float(costs[before, after] - costs[before, start] - costs[start, after])
        for before, start, after in zip(ends, ends[1:-1], ends[2:], strict=False)
    )
    return Grouping(starts=tuple(ends[:-1]), spread=spread, saved_bits=tuple(saved))


def _costs(samples: Array, spread: float) -> Array:
    """Bits of the group from each sample to before each other; shape (n, n + 1), inf where none."""
    count = len(samples)
    levelled = (samples - np.mean(samples)) / spread
    sums = np.concatenate([[0.0], np.cumsum(levelled)])
    squares = np.concatenate([[0.0], np.cumsum(levelled**2)])
    sizes = np.arange(count + 1)[None, :] - np.arange(count)[:, None]
    there = np.maximum(sizes, 1)
    total = sums[None, :] - sums[:count, None]
    around = squares[None, :] - squares[:count, None] - total**2 / there
    named = math.log2(count) + math.log2(1.0 + 1.0 / min(spread, STEP_MAX))
    bits = EVIDENCE_BITS + named + 0.5 * np.log2(there)
    costs = bits + np.maximum(around, 0.0) / (2.0 * math.log(2.0))
    return np.where((sizes >= GROUP_MIN) | ((sizes > 0) & (count < GROUP_MIN)), costs, math.inf)
