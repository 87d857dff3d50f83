"""Several goals in one search: the MLRsearch package (RFC 9971) behind our records."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import SupportsFloat

import MLRsearch

from linerate.measure.search.explain import explained
from linerate.measure.search.limits import Limits
from linerate.measure.search.measurer import BudgetSpentError, Measurer
from linerate.searches import Bound, GoalResult, SearchGoal

PACKETS_PER_MPPS = 1e6
EXPANSION_COEFFICIENT = 2
PRECEDING_TARGETS = 2
"""Coarser searches before the final one: the package's own default for each goal."""


def search_bounds(
    measurer: Measurer, goals: tuple[SearchGoal, ...], limits: Limits
) -> tuple[GoalResult, ...]:
    """Look for the bounds of every goal at once: a trial tells something about each.

    Parameters
    ----------
    measurer
        Takes the trials. When its time is spent, the bounds known then are returned.
    goals
        Goals, each of another name.
    limits
        Lowest and highest load.

    Returns
    -------
    One result for each goal, in their order. The lower bound is conservative: loads above the
    lowest bad one do not count, even where they were good.

    References
    ----------
    Konstantynowicz and Polak, RFC 9971: Multiple Loss Ratio Search, sections 4 to 6.
    """
    searched = {goal: _package_goal(goal) for goal in goals}
    config = MLRsearch.Config()
    config.min_load = limits.min_mpps * PACKETS_PER_MPPS
    config.max_load = limits.max_mpps * PACKETS_PER_MPPS
    config.warmup_duration = 0.0  # each of our trials has a warm-up of its own
    config.search_duration_max = math.inf  # the measurer counts trial time, not waiting
    config.goals = searched.values()
    search = MLRsearch.MultipleLossRatioSearch(config)
    spent = False
    try:
        search.search(_PackageMeasurer(measurer))
    except BudgetSpentError:
        spent = True
    results = [_result(search, goal, package_goal) for goal, package_goal in searched.items()]
    return tuple(explained(result, measurer, limits, spent=spent) for result in results)


@dataclass(frozen=True, slots=True)
class _PackageMeasurer(MLRsearch.AbstractMeasurer):  # type: ignore[misc]
    """What the package asks for trials."""

    measurer: Measurer

    def measure(
        self, intended_duration: float, intended_load: float
    ) -> MLRsearch.MeasurementResult:
        taken = self.measurer.at(intended_load / PACKETS_PER_MPPS, intended_duration)
        trial = taken.trial
        believed = taken.verdict.state != "invalid"
        # The duration stays the intended one, so that ten trials of 0.1 s are one second.
        return MLRsearch.MeasurementResult(
            intended_duration=intended_duration,
            intended_load=intended_load,
            offered_count=max(trial.sent_packets, 1),
            forwarding_count=trial.forwarded_packets if believed else 0,
            intended_count=max(trial.intended_packets, 1),
        )


def _package_goal(goal: SearchGoal) -> MLRsearch.SearchGoal:
    return MLRsearch.SearchGoal(
        loss_ratio=goal.loss_ratio,
        exceed_ratio=goal.exceed_ratio,
        relative_width=goal.width_ratio,
        initial_trial_duration=goal.initial_trial_seconds,
        final_trial_duration=goal.final_trial_seconds,
        duration_sum=goal.duration_sum_seconds,
        preceding_targets=PRECEDING_TARGETS,
        expansion_coefficient=EXPANSION_COEFFICIENT,
        fail_fast=False,  # a goal without lower bound is an answer, and others may have one
    )


def _result(
    search: MLRsearch.MultipleLossRatioSearch, goal: SearchGoal, package_goal: MLRsearch.SearchGoal
) -> GoalResult:
    """State what the package's database says of a goal."""
    target = search.scaling.goal_to_final_target[package_goal]
    found = MLRsearch.GoalResult.from_bounds(search.database.get_relevant_bounds(target=target))
    lower, upper = found.relevant_lower_bound, found.relevant_upper_bound
    stat = lower and lower.target_to_stat[target]
    return GoalResult(
        goal=goal,
        bound=Bound(lower_mpps=_mpps(lower), upper_mpps=_mpps(upper)),
        conditional_mpps=_mpps(found.conditional_throughput),
        lower_loss_ratio=stat and stat.pessimistic_loss_ratio,
    )


def _mpps(load: SupportsFloat | None) -> float | None:
    return None if load is None else float(load) / PACKETS_PER_MPPS
