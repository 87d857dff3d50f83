"""Goals that are searched for by name, at any length of trial."""

from __future__ import annotations

from dataclasses import replace

from linerate.searches import SearchGoal

NDR = SearchGoal(
    name="ndr", loss_ratio=0.0, exceed_ratio=0.5, width_ratio=0.005,
    initial_trial_seconds=1.0, final_trial_seconds=1.0, duration_sum_seconds=21.0,
)  # fmt: skip
"""Non-drop rate as FD.io CSIT searches it: no loss in half of 21 trials of one second."""
PDR = replace(NDR, name="pdr", loss_ratio=0.005)
"""Partial drop rate of FD.io CSIT: at most 0.5 % lost."""
THROUGHPUT = SearchGoal(
    name="throughput", loss_ratio=0.0, exceed_ratio=0.0, width_ratio=0.005,
    initial_trial_seconds=60.0, final_trial_seconds=60.0, duration_sum_seconds=60.0,
)  # fmt: skip
"""Throughput of RFC 2544: not one frame lost in one trial of 60 s (sections 24 and 26.1)."""
GOALS = {goal.name: goal for goal in (NDR, PDR)}
"""Goals that MLRsearch looks for together."""


def scaled(goal: SearchGoal, trial_seconds: float) -> SearchGoal:
    """Take a goal with other trials; how many of them decide stays the same.

    >>> scaled(NDR, 0.1).duration_sum_seconds
    2.1
    """
    factor = trial_seconds / goal.final_trial_seconds
    return replace(
        goal,
        initial_trial_seconds=goal.initial_trial_seconds * factor,
        final_trial_seconds=trial_seconds,
        duration_sum_seconds=goal.duration_sum_seconds * factor,
    )
