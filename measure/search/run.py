"""One search, from its limits to its curve, over any callable that runs trials."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from linerate.cells import Cell
from linerate.measure.search import rfc2544
from linerate.measure.search.curve import measure_curve
from linerate.measure.search.limits import Limits, find_limits, highest_load
from linerate.measure.search.measurer import Measurer, RunTrial
from linerate.measure.search.spec import SearchSpec
from linerate.searches import GoalResult, SearchEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One program load that is searched."""

    search_id: str
    repetition: int
    cell: Cell
    program_hash: str
    run_trial: RunTrial
    """Runs the trials of the search itself."""
    run_point: RunTrial
    """Runs those whose loads are results too: of a curve, of loss, of latency."""


def run_search(subject: Subject, spec: SearchSpec) -> SearchEntry:
    """Find the limits, then every bound, then take what is asked for at the rate that was found.

    Raises
    ------
    LinerateError
        The trial time was spent before there was anything to search between.
    """
    started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
    measurer = Measurer(
        cell=subject.cell, run_trial=subject.run_trial, warm_up_seconds=spec.warm_up_seconds,
        retries=spec.retries, seconds_max=spec.seconds_max,
    )  # fmt: skip
    limits = find_limits(
        measurer, min_mpps=spec.min_mpps, max_mpps=spec.max_mpps, seconds=spec.trial_seconds
    )
    received = highest_load(measurer, limits, seconds=spec.trial_seconds, trials=spec.mrr_trials)
    results = _results(measurer, spec, limits)
    carried_mpps = max((r.bound.lower_mpps or 0.0 for r in results), default=0.0)
    burst = None
    if "back_to_back" in spec.tests and carried_mpps:
        burst = rfc2544.back_to_back(measurer, carried_mpps, spec.trial_seconds)
    _measure_points(subject, spec, limits, carried_mpps)
    return SearchEntry(
        search_id=subject.search_id,
        repetition=subject.repetition,
        cell=replace(subject.cell, load=replace(subject.cell.load, offered_mpps=limits.max_mpps)),
        preset=spec.preset,
        min_mpps=limits.min_mpps,
        max_mpps=limits.max_mpps,
        max_from=limits.max_from,
        results=results,
        mrr_mpps=tuple(taken.trial.forwarded_mpps for taken in received),
        mrr_disturbed_trials=sum(bool(taken.doubts) for taken in received),
        burst=burst,
        trials=measurer.trials,
        disturbed_trials=measurer.disturbed_trials,
        duration_s=measurer.duration_s,
        steal_ratio=measurer.steal_ratio,
        verdict=measurer.verdict(),
        program_hash=subject.program_hash,
        started_at=started_at,
    )


def _results(measurer: Measurer, spec: SearchSpec, limits: Limits) -> tuple[GoalResult, ...]:
    if spec.preset == "rfc2544":
        return tuple(rfc2544.throughput(measurer, goal, limits) for goal in spec.goals)
    if not spec.goals:
        return ()
    # Here, since its package reads the sources of all modules on the call stack when it is loaded.
    from linerate.measure.search.mlrsearch import search_bounds

    return search_bounds(measurer, spec.goals, limits)


def _measure_points(
    subject: Subject, spec: SearchSpec, limits: Limits, carried_mpps: float
) -> None:
    """Take the loads that are results by themselves; each ends up in the table of runs."""
    points = Measurer(
        cell=subject.cell, run_trial=subject.run_point, warm_up_seconds=spec.warm_up_seconds,
        retries=spec.point_retries, seconds_max=math.inf,  # their number is known
    )  # fmt: skip
    if "frame_loss" in spec.tests:
        rfc2544.frame_loss(points, limits, spec.trial_seconds)
    if not carried_mpps:
        return
    if "latency" in spec.tests:
        rfc2544.latency(points, carried_mpps, spec.trial_seconds, spec.latency_trials)
    if spec.curve:
        measure_curve(points, carried_mpps, spec.curve, spec.trial_seconds)
