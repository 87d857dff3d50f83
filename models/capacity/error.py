"""How well the runs fix each constant of the physical model."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from linerate.models.capacity.fit import LOSS_SCALE, Slot, assumptions, slots_of
from linerate.models.capacity.paths import PathCost, path_limits
from linerate.models.capacity.prior import LOGARITHMIC
from linerate.models.runs.cells import Array, Cells
from linerate.models.runs.training import Training
from linerate.models.side_by_side import side_by_side

STEP = 1e-5
"""Change of a constant for its slope: relative, or absolute for those that may be 0."""
RESAMPLES = 400
"""Tables drawn: the ends of a 90 % interval lie on the 20 outermost of either side."""
LOADS_DRAWN_MAX = 2000
"""Loads that are drawn one by one: sums over more are normal."""
CONDITION_MAX = 1e8
"""Of the slopes of all loads together, for what one load takes from them to be solved for."""
SHARE_MAX = 0.5
"""Of all slopes, that one load may have for the others to be solved for without it."""
TAILS = (0.05, 0.95)
REACH_MAX = 50.0
"""Log reach of an interval beyond which nothing is known anyway."""


def with_intervals(
    paths: tuple[PathCost, ...], training: Training, nic_mpps: float
) -> tuple[PathCost, ...]:
    """Add to each path the 90 % interval of its constants, by a bootstrap over program loads.

    Whole program loads are drawn, whose runs share a random effect. Each drawn table takes one step
    of Newton's from the constants of all runs instead of a fit of its own, which is as good to the
    first order and lets all tables be solved at once. What is assumed of a constant counts in each
    table as it does in the fit, and no interval passes the bounds of the fit. Where paths share the
    cost of an access, each path's own runs give its interval.

    References
    ----------
    Drawing clusters: Davison and Hinkley, Bootstrap Methods and their Application (1997), sec. 3.8;
    one step: Andrews, Econometrica 70 (2002); a load by what the others leave of it: Bell and
    McCaffrey, Survey Methodology 28 (2002).
    """
    drawn = [path for path in paths if not path.bounded]
    found = side_by_side(_intervals, [(path, training, nic_mpps) for path in drawn])
    intervals = dict(zip((path.pair for path in drawn), found, strict=True))
    return tuple(
        path if path.bounded else replace(path, intervals=intervals[path.pair]) for path in paths
    )


def _intervals(
    path: PathCost, training: Training, nic_mpps: float
) -> dict[str, tuple[float, float]]:
    own = training.take(training.cells.pair == training.cells.pairs.index(path.pair))
    values, slots = path.values(), slots_of(path)
    cells = own.cells.of_pairs([path.pair])
    centre = np.log(path_limits((path,), cells, nic_mpps).predicted_mpps)
    slopes = log_slopes(path, cells, nic_mpps)
    left = centre - np.log(own.forwarded_mpps)
    steps = _bootstrap_steps(slopes, left, own, _assumed(slots, values))
    return {
        slot.name: _interval(slot, values[slot.name], step)
        for slot, step in zip(slots, steps.T, strict=True)
    }


def _assumed(slots: list[Slot], values: dict[str, float]) -> Array:
    """Slope of the score of what is assumed, which every table has, shape (constants, constants).

    Each assumption weighs as one run that lies as far off as the constants from what is assumed.
    """
    place = np.array([math.log(values[slot.name]) if slot.name in LOGARITHMIC
                      else values[slot.name] for slot in slots])  # fmt: skip
    distances, expected = assumptions(slots)
    weight = 1.0 / np.sqrt(1.0 + (distances @ place - expected) ** 2)
    rows = LOSS_SCALE * weight[:, None] ** 1.5 * distances
    return np.asarray(rows.T @ rows)


def log_slopes(path: PathCost, cells: Cells, nic_mpps: float = np.inf) -> Array:
    """Slope of each cell's log rate by each constant, shape (n, constants).

    By the logarithm of those that are positive, by the others themselves.
    """

    def log_mpps(moved: PathCost) -> Array:
        return np.asarray(np.log(path_limits((moved,), cells, nic_mpps).predicted_mpps))

    centre = log_mpps(path)
    return np.column_stack([
        (log_mpps(path.with_values({name: _stepped(name, value)})) - centre) / STEP
        for name, value in path.values().items()
    ])  # fmt: skip


def _bootstrap_steps(slopes: Array, left: Array, training: Training, assumed: Array) -> Array:
    """Change of each constant in each drawn table, shape (RESAMPLES, constants)."""
    breads, scores = _of_loads(slopes, left, training, assumed)
    drawn_breads, drawn_scores = _drawn_sums(breads, scores)
    # Robust fits are not quite where the scores sum up to 0: steps are taken from where they do.
    bread = np.linalg.pinv(drawn_breads + assumed)
    return np.asarray(-np.einsum("bij,bj->bi", bread, drawn_scores - scores.sum(axis=0)),
                      dtype=np.float64)  # fmt: skip


def _drawn_sums(breads: Array, scores: Array) -> tuple[Array, Array]:
    """Sum slopes and scores over the loads of each drawn table, shapes (RESAMPLES, ...).

    Sums over many loads are normal: drawn as such, of the same mean and covariance.
    """
    loads, constants = scores.shape
    # A fixed seed: a fit repeats exactly.
    rng = np.random.default_rng(0)
    terms = np.hstack([breads.reshape(loads, -1), scores])
    if loads > LOADS_DRAWN_MAX:
        terms -= (mean := terms.mean(axis=0))
        values, directions = np.linalg.eigh(terms.T @ terms)
        spread = np.sqrt(np.maximum(values, 0.0))[:, None] * directions.T
        sums = loads * mean + rng.standard_normal((RESAMPLES, len(spread))) @ spread
    else:
        drawn = rng.multinomial(loads, np.full(loads, 1.0 / loads), size=RESAMPLES)
        sums = drawn.astype(np.float64) @ terms
    return sums[:, :-constants].reshape(-1, constants, constants), sums[:, -constants:]


def _of_loads(
    slopes: Array, left: Array, training: Training, assumed: Array
) -> tuple[Array, Array]:
    """Slope of each load's score, shape (loads, constants, constants), and its score.

    A load that stands alone pulls the constants to itself and hides its own random effect: its
    score is its residual by the fit of the others (the cluster jackknife's).
    """
    weight = 1.0 / np.sqrt(1.0 + (left / LOSS_SCALE) ** 2)
    order = np.argsort(training.load, kind="stable")
    _, begins = np.unique(training.load[order], return_index=True)
    # The weight itself falls with what is left: the slope of the score is its third power.
    bread = weight[:, None, None] ** 3 * slopes[:, :, None] * slopes[:, None, :]
    breads = np.add.reduceat(bread[order], begins)
    scores = np.add.reduceat((slopes * (weight * left)[:, None])[order], begins)
    whole = breads.sum(axis=0) + assumed
    return breads, _solved(whole, breads, scores) @ whole.T


def _solved(whole: Array, breads: Array, scores: Array) -> Array:
    """Solve for the step of each load by all others, shape (loads, constants)."""
    alone = np.ones(len(scores), dtype=np.bool_)
    if np.linalg.cond(whole) < CONDITION_MAX:
        share = np.einsum("jk,lkj->l", np.linalg.inv(whole), breads)
        alone = share > SHARE_MAX
    steps = np.empty_like(scores)
    steps[~alone] = np.linalg.solve(whole - breads[~alone], scores[~alone][..., None])[..., 0]
    steps[alone] = np.einsum("ljk,lk->lj", np.linalg.pinv(whole - breads[alone]), scores[alone])
    return steps


def _stepped(name: str, value: float) -> float:
    return value * float(np.exp(STEP)) if name in LOGARITHMIC else value + STEP


def _interval(slot: Slot, value: float, steps: Array) -> tuple[float, float]:
    low, high = map(float, np.quantile(steps, TAILS))
    if slot.name in LOGARITHMIC:
        return value * math.exp(max(low, -REACH_MAX)), value * math.exp(min(high, REACH_MAX))
    return max(value + low, slot.low), min(value + high, slot.high)
