"""90 % intervals that hold: conformal, by program loads held out, wider outside the domain.

The score of a cell is the log ratio of its measured median to what the servers could do by a
model that has seen no run of its program load. A ceiling is known and has hardly any error of
its own, so the two are kept apart: the interval of the servers is cut at the ceiling, and the
chance to sustain line rate is the share of scores that would lift the servers above it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linerate.line_rate import SUSTAINED_RATIO
from linerate.line_rate import sustains as sustains_line
from linerate.models.intervals.domain import Domain
from linerate.models.intervals.extrapolation import (
    UNKNOWN,
    Widening,
    learn_widenings,
    wider_ratio,
)
from linerate.models.intervals.unidentified import Slack
from linerate.models.runs.cells import Array, Cells, Codes, Mask, Pair
from linerate.models.runs.limits import LIMITS, OFFERED, CapacityModel, Limits
from linerate.models.runs.training import Training
from linerate.models.validation.folds import partitions
from linerate.records import Predictions

COVERAGE = 0.9
"""Share of cells that an interval is made to hold."""
FOLDS = 5
"""Folds of whole (datapath, program, queues, accesses) groups."""
BUCKET_MIN = 20
"""Cells below which a pair's own scores give way to those of all pairs."""
NEAR_CEILING = 0.95
"""A cell that its ceiling should limit, and that comes this near to it, is informative of the
ceiling."""
UNSCORED_HALF_WIDTH = 0.5
"""Log half-width of the servers' rate where no run measured it."""
SLACK_STEPS = 9
"""Points of a slack that a chance is averaged over."""
CEILING_HALF_WIDTH_MIN = 0.002
"""Log half-width of a ceiling: counters and clocks are not better than that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """Scores of the cells that one path's servers limit."""

    pair: Pair | None
    """None for the cells of all pairs."""
    bottleneck: str | None = None
    """Stage of the servers whose cells it holds for; None for all stages of the pair."""
    accesses_above: float = -1.0
    """It holds for cells of more accesses than this, up to where the pair's next one begins:
    the base path and the program's own work are not equally well known."""
    scores: tuple[float, ...]
    """log(measured / servers' rate), ascending."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conformal:
    """Held-out scores of a model, by what limits a cell."""

    buckets: tuple[Bucket, ...]
    """The last is that of all pairs."""
    ceiling_half_width: float
    """Log half-width where the ceiling is the limit."""
    widenings: tuple[Widening, ...] = (UNKNOWN,)
    """Of each pair, outside the domain; the last is that of all others."""

    def predictions(
        self, limits: Limits, cells: Cells, domain: Domain, slack: Slack
    ) -> Predictions:
        """Put intervals around what a model says.

        Parameters
        ----------
        limits
            What the model says of n cells.
        cells
            The same cells.
        domain
            Where the model was fitted.
        slack
            How much farther each cell may lie for want of runs that vary a factor.
        """
        distance = domain.distance(cells)
        wider = wider_ratio(self.widenings, domain, cells)
        lower_mpps, upper_mpps = np.empty(len(cells)), np.empty(len(cells))
        sustains = np.empty(len(cells))
        needed = np.log(SUSTAINED_RATIO * cells.line_mpps / limits.service_mpps)
        # What is offered is no limit of the device: it may sustain more than it is given.
        below_line = ~sustains_line(limits.ceiling_mpps, cells.line_mpps) & (
            limits.ceiling != OFFERED
        )
        for rows, bucket in _parts(self.buckets, cells, limits):
            scores = np.asarray(bucket.scores)
            reach = half_width(scores) * wider[rows]
            if not scores.size:
                served = np.where(limits.by_service[rows], wider[rows], distance[rows])
                reach = UNSCORED_HALF_WIDTH * served
            lower_mpps[rows] = limits.service_mpps[rows] * np.exp(-reach - slack.below[rows])
            upper_mpps[rows] = limits.service_mpps[rows] * np.exp(reach + slack.above[rows])
            sustains[rows] = _chance(scores, needed[rows], wider[rows], slack.take(rows))
        margin = np.exp(self.ceiling_half_width)
        return Predictions(
            predicted_mpps=limits.predicted_mpps,
            lower_mpps=np.minimum(lower_mpps, limits.ceiling_mpps / margin),
            upper_mpps=np.minimum(upper_mpps, limits.ceiling_mpps * margin),
            sustains_line_rate=np.where(below_line, 0.0, sustains),
            bottleneck=limits.bottleneck,
            in_domain=domain.contains(cells),
        )


def _parts(
    buckets: tuple[Bucket, ...], cells: Cells, limits: Limits
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


def _chance(scores: Array, needed: Array, wider: Array, slack: Slack) -> Array:
    """Chance that a cell reaches what is needed, anything within the slack as likely."""
    # Nothing bounds what a ceiling hides: a third of what is taken for likely lies above need.
    above = np.where(np.isinf(slack.above), 1.5 * np.maximum(needed, 0.0), slack.above)
    chance = _share_above(scores, needed / wider)
    some = slack.any
    if some.any():
        steps = np.linspace(-slack.below[some], above[some], SLACK_STEPS)
        shares = [_share_above(scores, (needed[some] - step) / wider[some]) for step in steps]
        chance[some] = np.mean(shares, axis=0)
    return chance


def _share_above(scores: Array, needed: Array) -> Array:
    """Smoothed share of scores that are at least as needed: never quite 0 or 1 by few scores."""
    if not scores.size:
        return np.where(needed <= 0.0, 1.0, 0.0)
    above = scores.size - np.searchsorted(scores, needed, side="left")
    return np.asarray((above + 0.5 * (needed <= 0.0)) / (scores.size + 0.5))


def half_width(scores: Array) -> float:
    """Conformal half-width: the ceil((n + 1) * 0.9)-th smallest absolute score.

    With too few scores for the level, the largest of them is widened by half.

    References
    ----------
    Vovk, Gammerman and Shafer, Algorithmic Learning in a Random World (2005), ch. 2; by groups
    and classes (Mondrian): ch. 4; cross-conformal: Barber et al., Ann. Statist. 49 (2021).

    Examples
    --------
    >>> half_width(np.linspace(-0.1, 0.1, 21)).__round__(3)
    0.1
    """
    if not scores.size:
        return 0.0
    ordered = np.sort(np.abs(scores))
    rank = int(np.ceil((ordered.size + 1) * COVERAGE))
    return float(ordered[rank - 1] if rank <= ordered.size else 1.5 * ordered[-1])


def calibrate(model: CapacityModel, training: Training, rng: np.random.Generator) -> Conformal:
    """Score every cell by a fit of the same structure that has not seen its group.

    Parameters
    ----------
    model
        Fitted on ``training``.
    training
        At least two (datapath, program, queues, accesses) groups.
    rng
        Deals the groups to folds.
    """
    medians, limits = held_out_limits(model, training, rng)
    informative = _informative(medians, limits)

    def half_widths_off(held: Training, predicted: Limits) -> Array:
        buckets = _buckets(medians, limits, informative & ~np.isin(medians.cell, held.cell))
        reach = np.empty(len(held))
        for rows, bucket in _parts(buckets, held.cells, predicted):
            reach[rows] = half_width(np.asarray(bucket.scores)) or np.nan
        off = np.abs(_scores(held, predicted)) / reach
        return np.asarray(np.where(_informative(held, predicted), off, np.nan))

    at_line = np.log((medians.forwarded_mpps / limits.ceiling_mpps)[~informative])
    return Conformal(
        buckets=_buckets(medians, limits, informative),
        widenings=learn_widenings(model, training, half_widths_off),
        ceiling_half_width=max(half_width(at_line), CEILING_HALF_WIDTH_MIN),
    )


def _buckets(medians: Training, limits: Limits, informative: Mask) -> tuple[Bucket, ...]:
    """Sort the scores of the cells that tell of the servers by what they tell of."""
    score = _scores(medians, limits)
    stages = np.array(LIMITS)[limits.service]
    parts: list[Bucket] = []
    for code, pair in enumerate(medians.cells.pairs):
        own = informative & (medians.cells.pair == code)
        parts += _pair_buckets(pair, score[own], stages[own], medians.cells.memory_accesses[own])
    return (*parts, Bucket(pair=None, scores=_ascending(score[informative])))


def _informative(medians: Training, limits: Limits) -> Mask:
    """Whether each cell is informative of the servers: not those at their ceiling."""
    at_ceiling = medians.forwarded_mpps >= NEAR_CEILING * limits.ceiling_mpps
    return np.asarray(limits.by_service | ~at_ceiling)


def _scores(medians: Training, limits: Limits) -> Array:
    return np.asarray(np.log(medians.forwarded_mpps / limits.service_mpps))


def _pair_buckets(
    pair: Pair, scores: Array, stages: NDArray[np.str_], accesses: Array
) -> list[Bucket]:
    """Split a pair's scores by the stage that limits; those of one stage by their accesses.

    A part that would be too small is not split off.
    """
    if scores.size < BUCKET_MIN:
        return []
    sizes = [(str(stage), stages == stage) for stage in np.unique(stages)]
    if len(sizes) > 1:
        large = [(stage, own) for stage, own in sizes if own.sum() >= BUCKET_MIN]
        return [
            *(Bucket(pair=pair, bottleneck=stage, scores=_ascending(scores[own]))
              for stage, own in large),
            Bucket(pair=pair, scores=_ascending(scores)),
        ]  # fmt: skip
    split = float(np.median(accesses))
    light = accesses <= split
    if min(light.sum(), (~light).sum()) < BUCKET_MIN:
        return [Bucket(pair=pair, scores=_ascending(scores))]
    return [
        Bucket(pair=pair, scores=_ascending(scores[light])),
        Bucket(pair=pair, scores=_ascending(scores[~light]), accesses_above=split),
    ]


def _ascending(scores: Array) -> tuple[float, ...]:
    return tuple(map(float, np.sort(scores)))


def held_out_limits(
    model: CapacityModel, training: Training, rng: np.random.Generator
) -> tuple[Training, Limits]:
    """Medians of the cells, and what refits that have not seen their groups say of them."""
    medians = training.medians()
    parts, order = [], []
    for seen, held in partitions(training, "group", FOLDS, rng):
        rows = np.flatnonzero(np.isin(medians.cell, held.cell))
        parts.append(model.refit(seen).limits(medians.take(rows).cells))
        order.append(rows)
    joined = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in Limits.__slots__
    }
    return medians.take(np.concatenate(order)), Limits(**joined)
