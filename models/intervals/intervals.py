"""90 % intervals that hold: conformal, by program loads held out, wider outside the domain.

A user loads a program once; a study takes the median of several loads, which lies nearer to what
a model says: each has scores of its own. A ceiling is known and has hardly any error of its own,
so the two are kept apart: the interval of the servers is cut at the ceiling, and the chance to
sustain line rate is the share of scores that would lift the servers above it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linerate.line_rate import SUSTAINED_RATIO
from linerate.line_rate import sustains as sustains_line
from linerate.models.intervals.domain import Domain
from linerate.models.intervals.extrapolation import (
    UNKNOWN,
    Widening,
    learn_widenings,
    wider_ratio,
)
from linerate.models.intervals.scores import Bucket, buckets_of, half_width, held_of, parts_of
from linerate.models.intervals.unidentified import Slack
from linerate.models.runs.cells import Array, Cells, Codes, Mask
from linerate.models.runs.limits import OFFERED, CapacityModel, Limits
from linerate.models.validation.folds import partitions
from linerate.records import Predictions

if TYPE_CHECKING:
    from linerate.models.runs.training import Training

FOLDS = 5
"""Folds of whole (datapath, program, queues, accesses) groups."""
NEAR_CEILING = 0.95
"""A cell that its ceiling should limit, and that comes this near to it, is informative of the
ceiling."""
UNSCORED_HALF_WIDTH = 0.5
"""Log half-width of the servers' rate where no run measured it."""
WIDEST = 300.0
"""Log half-width beyond which none is told from the next: a factor of 10^130."""
SLACK_STEPS = 9
"""Points of a slack that a chance is averaged over."""
HALF_WIDTH_MIN = 0.002
"""Log half-width of any rate: counters and clocks are not better than that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far from what a model says rates lie, by what limits them."""

    buckets: tuple[Bucket, ...]
    """The last is that of all pairs."""
    ceiling_half_width: float
    """Log half-width where the ceiling is the limit."""

    def ends(
        self, limits: Limits, cells: Cells, wider: Array, away: tuple[Array, Slack]
    ) -> tuple[Array, Array]:
        """Lower and upper end of the interval of n cells, Mpps, shape (n,) each.

        Parameters
        ----------
        limits
            What the model says of the cells.
        cells
            The same cells.
        wider
            Factor of each half-width, 1 inside the domain, shape (n,).
        away
            Doublings outside the domain, shape (n,), and how much farther each cell may lie for
            want of runs that vary a factor.
        """
        distance, slack = away
        lower, upper = np.empty(len(cells)), np.empty(len(cells))
        for rows, bucket in parts_of(self.buckets, cells, limits):
            reach = max(bucket.half_width(), HALF_WIDTH_MIN) * wider[rows]
            if not bucket.scores:
                served = np.where(limits.by_service[rows], wider[rows], distance[rows])
                reach = UNSCORED_HALF_WIDTH * served
            below, above = reach + slack.below[rows], reach + slack.above[rows]
            lower[rows] = limits.service_mpps[rows] * np.exp(-np.minimum(below, WIDEST))
            upper[rows] = limits.service_mpps[rows] * np.exp(np.minimum(above, WIDEST))
        margin = np.exp(self.ceiling_half_width)
        return (np.minimum(lower, limits.ceiling_mpps / margin),
                np.minimum(upper, limits.ceiling_mpps * margin))  # fmt: skip

    def chances(self, limits: Limits, cells: Cells, wider: Array, slack: Slack) -> Array:
        """Chance that each cell's servers make 99 % of line rate, shape (n,)."""
        needed = np.log(SUSTAINED_RATIO * cells.line_mpps / limits.service_mpps)
        chance = np.empty(len(cells))
        for rows, bucket in parts_of(self.buckets, cells, limits):
            chance[rows] = _chance(bucket, needed[rows], wider[rows], slack.take(rows))
        return chance


@dataclass(frozen=True, slots=True, kw_only=True)
class Conformal:
    """Held-out scores of a model: of one load of a program, and of the median of several."""

    load: Reach
    """Of single runs: what one more load will do."""
    median: Reach
    """Of cells' medians."""
    loads: int = 1
    """Loads that such a median is usually of."""
    widenings: tuple[Widening, ...] = (UNKNOWN,)
    """Of each pair, outside the domain; the last is that of all others."""
    lent: bool = False
    """Whether these are scores of other boxes: what borrowed constants leave open comes on top."""

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
        wider = wider_ratio(self.widenings, domain, cells)
        away = domain.distance(cells), slack
        lower_mpps, upper_mpps = self.load.ends(limits, cells, wider, away)
        lower_median_mpps, upper_median_mpps = self.median.ends(limits, cells, wider, away)
        # What is offered is not a limit of the device: it may sustain more than it is given.
        below_line = ~sustains_line(limits.ceiling_mpps, cells.line_mpps) & (
            limits.ceiling != OFFERED
        )
        chances = self.load.chances(limits, cells, wider, slack)
        return Predictions(
            predicted_mpps=limits.predicted_mpps,
            lower_mpps=lower_mpps, upper_mpps=upper_mpps,
            lower_median_mpps=lower_median_mpps, upper_median_mpps=upper_median_mpps,
            sustains_line_rate=np.where(below_line, 0.0, chances),
            bottleneck=limits.bottleneck,
            in_domain=domain.contains(cells),
        )  # fmt: skip


def _chance(bucket: Bucket, needed: Array, wider: Array, slack: Slack) -> Array:
    """Chance that a cell reaches what is needed, anything within the slack as likely."""
    # Nothing bounds what a ceiling hides: a third of what is taken for likely lies above need.
    above = np.where(np.isinf(slack.above), 1.5 * np.maximum(needed, 0.0), slack.above)
    chance = bucket.share_above(needed / wider)
    some = slack.any
    if some.any():
        steps = np.linspace(-slack.below[some], above[some], SLACK_STEPS)
        shares = [bucket.share_above((needed[some] - step) / wider[some]) for step in steps]
        chance[some] = np.mean(shares, axis=0)
    return chance


def calibrate(model: CapacityModel, training: Training, rng: np.random.Generator) -> Conformal:
    """Score every run and every cell's median by fits that have not seen their group.

    Parameters
    ----------
    model
        Fitted on ``training``; its structure is kept.
    training
        At least two (datapath, program, queues, accesses) groups.
    rng
        Deals the groups to folds.
    """
    medians, limits = held_out_limits(model, training, rng)

    def half_widths_off(held: Training, predicted: Limits) -> Array:
        known = ~np.isin(medians.cell, held.cell)
        buckets = _buckets(medians.take(known), _limits_at(limits, known))
        reach = np.empty(len(held))
        for rows, bucket in parts_of(buckets, held.cells, predicted):
            reach[rows] = bucket.half_width() or np.nan
        off = np.abs(held_of(held, predicted).score) / reach
        return np.asarray(np.where(_informative(held, predicted), off, np.nan))

    # A run is held against what its cell's fold says; a pair of one group is never held out.
    runs = training.take(np.isin(training.cell, medians.cell))
    order = np.argsort(medians.cell)
    of_run = order[np.searchsorted(medians.cell[order], runs.cell)]
    return Conformal(
        load=_reach(runs, _limits_at(limits, of_run)),
        median=_reach(medians, limits),
        loads=int(np.median(np.unique(training.cell, return_counts=True)[1])),
        widenings=learn_widenings(model, training, half_widths_off),
    )


def _reach(runs: Training, limits: Limits) -> Reach:
    at_line = np.log((runs.forwarded_mpps / limits.ceiling_mpps)[~_informative(runs, limits)])
    return Reach(buckets=_buckets(runs, limits),
                 ceiling_half_width=max(half_width(at_line), HALF_WIDTH_MIN))  # fmt: skip


def _buckets(runs: Training, limits: Limits) -> tuple[Bucket, ...]:
    """Sort the scores of what the servers limit by what they show."""
    return buckets_of(held_of(runs, limits).take(_informative(runs, limits)), runs.cells.pairs)


def _informative(runs: Training, limits: Limits) -> Mask:
    """Whether each run is informative of the servers: not those at their ceiling."""
    at_ceiling = runs.forwarded_mpps >= NEAR_CEILING * limits.ceiling_mpps
    return np.asarray(limits.by_service | ~at_ceiling)


def _limits_at(limits: Limits, rows: Mask | Codes) -> Limits:
    return Limits(**{name: getattr(limits, name)[rows] for name in Limits.__slots__})


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
