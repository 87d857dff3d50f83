"""The tests of RFC 2544 as the labs can run them, at any length of trial."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

from linerate.measure.campaign.block import BURST_PACKETS_MAX
from linerate.measure.search.explain import explained
from linerate.measure.search.limits import Limits
from linerate.measure.search.measurer import BudgetSpentError, Measurer
from linerate.records import Trial
from linerate.searches import Bound, BurstBound, GoalResult, SearchGoal

FRAME_BYTES = (64, 128, 256, 512, 1024, 1280, 1518)
"""Frame sizes for Ethernet, FCS counted (section 9.1)."""
LATENCY_DURATION = 2.0
"""A latency trial lasts 120 s where one of throughput lasts 60 (sections 24 and 26.2)."""
LOSS_STEP_PERCENT = 10
"""Coarsest step between the rates of the frame loss test (section 26.3)."""
BURST_LOAD_RATIO = 0.1
"""Mean rate of bursts, of the throughput: the device has nine times a burst's time to drain."""


def throughput(measurer: Measurer, goal: SearchGoal, limits: Limits) -> GoalResult:
    """Find the highest rate at which no frame is lost, by halving (section 26.1).

    Each rate is tried once, and the interval is halved by ratio, so that as many trials lead
    from 10 to 5 Mpps as from 1 to 0.5.
    """
    lower_mpps: float | None = None
    upper_mpps: float | None = None
    spent = False
    tried_mpps: float | None = limits.max_mpps
    while tried_mpps is not None and not spent:
        try:
            taken = measurer.at(tried_mpps, goal.final_trial_seconds)
        except BudgetSpentError:
            spent = True
            continue
        if taken.loss_ratio == 0.0:
            lower_mpps = tried_mpps
        else:
            upper_mpps = tried_mpps
        tried_mpps = _next_mpps(lower_mpps, upper_mpps, limits, goal.width_ratio)
    bound = Bound(lower_mpps=lower_mpps, upper_mpps=upper_mpps)
    result = GoalResult(
        goal=goal,
        bound=bound,
        conditional_mpps=lower_mpps,
        lower_loss_ratio=None if lower_mpps is None else 0.0,
    )
    return explained(result, measurer, limits, spent=spent)


def _next_mpps(
    lower_mpps: float | None, upper_mpps: float | None, limits: Limits, width_ratio: float
) -> float | None:
    """Rate to try next; None where the interval is narrow enough or there is nothing above."""
    if upper_mpps is None or upper_mpps <= limits.min_mpps:
        return None
    if lower_mpps is None:
        return limits.min_mpps
    if 1.0 - lower_mpps / upper_mpps <= width_ratio:
        return None
    return sqrt(lower_mpps * upper_mpps)


def latency(
    measurer: Measurer, carried_mpps: float, trial_seconds: float, trials: int
) -> tuple[Trial, ...]:
    """Take latency at the throughput, several times (section 26.2).

    Every frame is stamped, not one a trial; the average is that over all of them.
    """
    seconds = LATENCY_DURATION * trial_seconds
    return tuple(measurer.at(carried_mpps, seconds, exact=True).trial for _ in range(trials))


def frame_loss(measurer: Measurer, limits: Limits, trial_seconds: float) -> tuple[Trial, ...]:
    """Take the loss from 100 % of the highest rate down, until two rates in turn lose nothing.

    References
    ----------
    RFC 2544, section 26.3.
    """
    taken: list[Trial] = []
    for percent in range(100, 0, -LOSS_STEP_PERCENT):
        offered_mpps = limits.max_mpps * percent / 100
        taken.append(measurer.at(offered_mpps, trial_seconds, exact=True).trial)
        if len(taken) >= 2 and taken[-1].loss_ratio == taken[-2].loss_ratio == 0.0:
            break
    return tuple(taken)


def back_to_back(measurer: Measurer, carried_mpps: float, trial_seconds: float) -> BurstBound:
    """Find the longest burst that comes back whole, by halving (section 26.4).

    A trial holds as many bursts as its mean rate makes of it, each sent as fast as the generator
    can, and loses nothing only if every one came back whole. No burst is longer than a trial
    holds; that there is no upper bound then says that the device keeps up with the generator.
    """
    rate_mpps = carried_mpps * BURST_LOAD_RATIO
    packets_max = min(int(rate_mpps * 1e6 * trial_seconds), BURST_PACKETS_MAX)
    load = replace(measurer.cell.load, arrivals="burst", offered_mpps=rate_mpps)
    longest, shortest = 0, packets_max + 1
    tried = packets_max
    while shortest - longest > 1:
        try:
            taken = measurer.measure(replace(load, burst_packets=tried), trial_seconds)
        except BudgetSpentError:
            break
        if 0 < taken.trial.forwarded_packets == taken.trial.sent_packets:
            longest = tried
        else:
            shortest = tried
        tried = (longest + shortest) // 2
    return BurstBound(
        lower_packets=longest or None,
        upper_packets=shortest if shortest <= packets_max else None,
    )
