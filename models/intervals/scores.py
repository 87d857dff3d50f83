"""How far off a model was on what it had not seen, and how far off it will be by that.

A score is the log ratio of a measured rate to what the servers could do by a model that has seen
no run of its group. Scores of one group may be alike, and alike scores are no more than one: ranks
count as many as they are worth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from linerate.models.runs.cells import Array, Cells, Codes, Mask, Pair
from linerate.models.runs.limit_names import LIMITS
from linerate.models.runs.limits import Limits

if TYPE_CHECKING:
    from linerate.models.runs.training import Training

COVERAGE = 0.9
"""Share of what is measured that an interval is made to hold."""
BUCKET_MIN = 20.0
"""Independent scores below which a pair's own give way to those of all pairs."""
SCORES_MAX = 10_000
"""Scores that are kept of a bucket; of more, as many that lie evenly among them in order."""
ROUNDING = 1e-9
"""Of a rank, which is a whole number where scores are independent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """Scores of what one path's servers limit."""

    pair: Pair | None
    """None for all pairs."""
    bottleneck: str | None = None
    """Stage of the servers whose cells it holds for; None for all stages of the pair."""
    accesses_above: float = -1.0
    """It holds for cells of more accesses than this, up to where the pair's next one begins:
    the base path and the program's own work are not equally well known."""
    scores: tuple[float, ...]
    """log(measured / servers' rate), ascending."""
    worth: float
    """Independent scores that these are worth, at most their number."""

    def half_width(self) -> float:
        """Log half-width of the interval; 0 without scores."""
        return half_width(np.asarray(self.scores), self.worth)

    def share_above(self, needed: Array) -> Array:
        """Smoothed share of scores at least as needed: never quite 0 or 1 by few scores."""
        if not self.scores:
            return np.where(needed <= 0.0, 1.0, 0.0)
        below = np.searchsorted(np.asarray(self.scores), needed, side="left") / len(self.scores)
        above = self.worth * (1.0 - below)
        return np.asarray((above + 0.5 * (needed <= 0.0)) / (self.worth + 0.5))


def half_width(scores: Array, worth: float | None = None) -> float:
    """Conformal half-width: the smallest that holds 0.9 (m + 1) / m of the absolute scores.

    With too few scores for the level, the largest of them is widened by half.

    Parameters
    ----------
    scores
        Shape (n,).
    worth
        Independent scores m that they are worth; n where none is named.

    References
    ----------
    Vovk, Gammerman and Shafer, Algorithmic Learning in a Random World (2005), ch. 2; by groups
    and classes (Mondrian): ch. 4; cross-conformal: Barber et al., Ann. Statist. 49 (2021);
    scores in groups: Dunn, Wasserman and Ramdas, JASA 118 (2023).

    Examples
    --------
    >>> half_width(np.linspace(-0.1, 0.1, 21)).__round__(3)
    0.1
    """
    if not scores.size:
        return 0.0
    ordered = np.sort(np.abs(scores))
    level = COVERAGE * (1.0 + 1.0 / (scores.size if worth is None else worth))
    rank = int(np.ceil(level * scores.size - ROUNDING))
    return float(ordered[rank - 1] if rank <= ordered.size else 1.5 * ordered[-1])


def worth_of(scores: Array, group: Codes) -> float:
    """Count the independent scores that scores in groups are worth: their number, if unlike.

    The share of the variance of absolute scores that lies between groups, rho, makes m scores of
    a group worth ``m / (1 + (m - 1) rho)``: all of them at 0, one at 1.

    References
    ----------
    Kish, Survey Sampling (1965), ch. 5 (design effect); Donner, Int. Stat. Rev. 54 (1986), for
    rho by an analysis of variance.

    Examples
    --------
    >>> worth_of(np.array([0.1, 0.1, 0.3, 0.3]), np.array([0, 0, 1, 1]))
    2.0
    """
    _, code, runs = np.unique(group, return_inverse=True, return_counts=True)
    groups, size = runs.size, scores.size
    if size == groups or groups < 2:
        return float(groups)
    values = np.abs(scores)
    means = np.bincount(code, weights=values) / runs
    within = float(((values - means[code]) ** 2).sum()) / (size - groups)
    between = float((runs * (means - values.mean()) ** 2).sum()) / (groups - 1)
    usual = (size - float((runs**2).sum()) / size) / (groups - 1)
    total = between + (usual - 1.0) * within
    alike = min(max((between - within) / total, 0.0), 1.0) if total > 0.0 else 1.0
    each = float((runs**2).sum()) / size
    return max(size / (1.0 + (each - 1.0) * alike), float(groups))


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Scores of n held-out runs or medians, and what sorts them; arrays of shape (n,)."""

    score: Array
    pair: Codes
    stage: NDArray[np.str_]
    """Stage of the servers, by name."""
    accesses: Array
    group: Codes

    def take(self, rows: Mask) -> Held:
        """Keep some rows."""
        return Held(score=self.score[rows], pair=self.pair[rows], stage=self.stage[rows],
                    accesses=self.accesses[rows], group=self.group[rows])  # fmt: skip

    def bucket(self, pair: Pair | None, stage: str | None = None, above: float = -1.0) -> Bucket:
        """Put all rows into one bucket."""
        scores = tuple(map(float, _kept(np.sort(self.score))))
        worth = worth_of(self.score, self.group) if scores else 0.0
        # Quantiles of more scores than are kept are worth no more than their own number.
        return Bucket(pair=pair, bottleneck=stage, accesses_above=above, scores=scores,
                      worth=min(worth, float(len(scores))))  # fmt: skip


def _kept(ordered: Array) -> Array:
    """Take all scores, or ``SCORES_MAX`` quantiles of them: no rank moves by more than 1 of 10^4.

    >>> _kept(np.arange(30_000.0))[:3]
    array([1., 4., 7.])
    """
    if ordered.size <= SCORES_MAX:
        return ordered
    places = (np.arange(SCORES_MAX) + 0.5) / SCORES_MAX * ordered.size
    return np.asarray(ordered[places.astype(np.intp)])


def held_of(runs: Training, limits: Limits) -> Held:
    """Score runs, or medians, by what refits that have not seen them say."""
    return Held(
        score=np.asarray(np.log(runs.forwarded_mpps / limits.service_mpps)),
        pair=runs.cells.pair, stage=np.array(LIMITS)[limits.service],
        accesses=runs.cells.memory_accesses, group=runs.group,
    )  # fmt: skip


def buckets_of(held: Held, pairs: Sequence[Pair]) -> tuple[Bucket, ...]:
    """Sort scores by what they show; the last bucket is that of all pairs."""
    parts = [
        bucket for code, pair in enumerate(pairs)
        for bucket in _pair_buckets(pair, held.take(held.pair == code))
    ]  # fmt: skip
    return (*parts, held.bucket(None))


def _pair_buckets(pair: Pair, held: Held) -> list[Bucket]:
    """Split a pair's scores by the stage that limits; those of one stage by their accesses.

    A part that would be too small is not split off.
    """
    whole = held.bucket(pair)
    if whole.worth < BUCKET_MIN:
        return []
    stages = np.unique(held.stage)
    if stages.size > 1:
        parts = [held.take(held.stage == stage).bucket(pair, str(stage)) for stage in stages]
        return [*(part for part in parts if part.worth >= BUCKET_MIN), whole]
    split = float(np.median(held.accesses))
    light = held.take(held.accesses <= split).bucket(pair)
    heavy = held.take(held.accesses > split).bucket(pair, above=split)
    return [light, heavy] if min(light.worth, heavy.worth) >= BUCKET_MIN else [whole]


def parts_of(
    buckets: Sequence[Bucket], cells: Cells, limits: Limits
) -> Iterator[tuple[Codes, Bucket]]:
    """Rows of the cells with the bucket that each belongs to."""
    stages = np.array(LIMITS)[limits.service]
    for code, pair in enumerate(cells.pairs):
        own = [bucket for bucket in buckets if bucket.pair == pair] or list(buckets[-1:])
        rows = np.flatnonzero(cells.pair == code)
        for stage in np.unique(stages[rows]):
            of_stage = [bucket for bucket in own if bucket.bottleneck == stage]
            fitting = of_stage or [bucket for bucket in own if bucket.bottleneck is None]
            at_stage = rows[stages[rows] == stage]
            starts = np.array([bucket.accesses_above for bucket in fitting])
            place = np.searchsorted(starts, cells.memory_accesses[at_stage], side="left") - 1
            for number, bucket in enumerate(fitting):
                yield at_stage[place == number], bucket
