"""What kept a bound where it is: the device, or something else that must be named."""

from __future__ import annotations

import math
from dataclasses import replace

from linerate.measure.search.limits import Limits
from linerate.measure.search.measurer import Measurer
from linerate.searches import Bound, GoalResult, LimitedBy, MaxFrom, SearchGoal

_WHAT_LIMITS: dict[MaxFrom, str] = {
    "line_rate": "the line carries no more",
    "generator": "the generator sends no more",
    "max_load": "the plan allows no more",
}


def explained(result: GoalResult, measurer: Measurer, limits: Limits, *, spent: bool) -> GoalResult:
    """Name what limits a result's bound, and say in a sentence what is irregular about it."""
    limited_by, reason = _limit(result, measurer, limits, spent=spent)
    return replace(result, limited_by=limited_by, reason=reason)


def _limit(
    result: GoalResult, measurer: Measurer, limits: Limits, *, spent: bool
) -> tuple[LimitedBy, str]:
    bound, goal = result.bound, result.goal
    if spent and not _reached(bound, goal, limits):
        return "budget", f"the search was stopped after {measurer.seconds_max:g} s of trials"
    if bound.upper_mpps is None:
        why = _WHAT_LIMITS[limits.max_from]
        return limits.max_from, f"carried at {limits.max_mpps:.6g} Mpps already, and {why}"
    if disturbed := _host_at_fault(bound.upper_mpps, goal, measurer):
        return (
            "host",
            f"at {bound.upper_mpps:.6g} Mpps the trials stayed disturbed: {disturbed}",
        )
    if _generator_at_fault(bound.upper_mpps, goal, measurer):
        return "generator", f"at {bound.upper_mpps:.6g} Mpps it was the generator that fell short"
    if bound.lower_mpps is None:
        return "min_load", f"not carried at {limits.min_mpps:.6g} Mpps, the lowest load allowed"
    return "device", ""


def _reached(bound: Bound, goal: SearchGoal, limits: Limits) -> bool:
    """Whether the bound is as narrow as its goal asks for, or lies at a limit."""
    if bound.width_ratio is not None:
        return bound.width_ratio <= goal.width_ratio
    at_top = bound.lower_mpps is not None and math.isclose(bound.lower_mpps, limits.max_mpps)
    at_bottom = bound.upper_mpps is not None and math.isclose(bound.upper_mpps, limits.min_mpps)
    return at_top or at_bottom


def _host_at_fault(upper_mpps: float, goal: SearchGoal, measurer: Measurer) -> str:
    """Say what disturbed the trials at the upper bound, if it would be none but for those."""
    taken = [each for each in measurer.measurements
             if math.isclose(each.load.offered_mpps, upper_mpps)]  # fmt: skip
    bad = [each for each in taken if each.loss_ratio > goal.loss_ratio]
    disturbed = [each for each in bad if each.doubts and each.verdict.state != "invalid"]
    settled = len(taken) - len(disturbed)
    if not disturbed or len(bad) - len(disturbed) > goal.exceed_ratio * settled:
        return ""
    return f"{len(disturbed)} of {len(bad)} that lost were, the last: {disturbed[-1].doubts[0]}"


def _generator_at_fault(upper_mpps: float, goal: SearchGoal, measurer: Measurer) -> bool:
    """Whether most bad trials at the upper bound would be good but for what was never sent."""
    bad = [
        taken
        for taken in measurer.measurements
        if math.isclose(taken.load.offered_mpps, upper_mpps) and taken.loss_ratio > goal.loss_ratio
    ]
    short = [taken for taken in bad if taken.short and taken.device_loss_ratio <= goal.loss_ratio]
    return 2 * len(short) > len(bad)
