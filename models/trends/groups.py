"""Grouping a series by minimum description length: where its level steps, if anywhere."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linerate.models.arrays import Array
from linerate.models.trends.noise import level_bits, scale_of, spread_of

EVIDENCE_BITS = 3.0
"""What a group must save: odds of 8 to 1. Without it noise that is estimated from ten samples makes
a group of itself in one series of a hundred samples in ten."""
TAILS_EVIDENCE_BITS = 2.0
"""What it must save too where noise may have long tails, and its size is not known beforehand."""
POOLED_EVIDENCE_BITS = 5.0
"""The same of several cells together, which lie so near their level that a step shows all the same:
noise of two regimes, or log-normal, then gives an alarm in at most 2 % of series."""
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
    """Of each start but the first: what the message would be longer without it, noise with tails as
    long as it may have (``level_bits``)."""


def group(
    samples: Array, may_start: NDArray[np.bool_] | None = None, *,
    evidence_bits: float = TAILS_EVIDENCE_BITS,
) -> Grouping:  # fmt: skip
    """Find the groups whose description is shortest, of all ways to part the series.

    A message says for each group where it starts, its average, and the samples as normal draws
    around that; the spread is one for all groups. In bits, for m samples of n with a sum of squares
    S around their average, a spread s and steps d of the average, d = s up to 0.01:
    log2 n + log2(1 + 1/d) + log2(m) / 2 + S / (2 s² ln 2).
    To be named, a group must save ``EVIDENCE_BITS``, and where samples are draws of Student's t of
    any size and tails (``level_bits``) ``evidence_bits``; starts that do not are taken back, the
    one that saves least first.

    Parameters
    ----------
    samples
        Shape (n,), natural logarithms of rates, in order.
    may_start
        Shape (n,), whether a group may start at a sample; anywhere if left out.
    evidence_bits
        ``POOLED_EVIDENCE_BITS`` where samples are of several cells together.

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
    ends = [count]
    while ends[-1] > 0:
        ends.append(int(cut[ends[-1]]))
    ends.reverse()  # 0, each start, n
    saved = _saved(samples, ends, spread)
    while saved and min(saved) < evidence_bits:
        del ends[saved.index(min(saved)) + 1]
        saved = _saved(samples, ends, spread)
    return Grouping(starts=tuple(ends[:-1]), spread=spread, saved_bits=tuple(saved))


def _saved(samples: Array, ends: list[int], spread: float) -> list[float]:
    """Bits that each start but the first saves where noise may have long tails."""
    scale = scale_of(samples)
    named = _named_bits(len(samples), spread)
    return [
        level_bits(samples[first:last], start - first, scale)
        - named - 0.5 * math.log2((start - first) * (last - start) / (last - first))
        for first, start, last in zip(ends, ends[1:-1], ends[2:], strict=False)
    ]  # fmt: skip


def _named_bits(count: int, spread: float) -> float:
    """Bits that name the start of a group, and its average before samples make it precise."""
    return math.log2(count) + math.log2(1.0 + 1.0 / min(spread, STEP_MAX))


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
    bits = EVIDENCE_BITS + _named_bits(count, spread) + 0.5 * np.log2(there)
    costs = bits + np.maximum(around, 0.0) / (2.0 * math.log(2.0))
    return np.where((sizes >= GROUP_MIN) | ((sizes > 0) & (count < GROUP_MIN)), costs, math.inf)
