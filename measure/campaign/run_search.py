"""Running a campaign's searches: each trial safe before the next, none found twice."""

from __future__ import annotations

from dataclasses import replace

from linerate.cells import Load
from linerate.errors import DeviceFailedError
from linerate.files.store import Store
from linerate.measure.campaign.search_order import PlannedSearch
from linerate.measure.datapaths.benches import open_bench
from linerate.measure.datapaths.own import cost_of
from linerate.measure.datapaths.registry import datapath_named
from linerate.measure.labs.nic import NicSite
from linerate.measure.search.measurer import RunTrial
from linerate.measure.search.run import Subject, run_search
from linerate.measure.trials.bench import Bench, Timing
from linerate.measure.trials.device import Attempt, failures_are_results
from linerate.measure.trials.validity import judge
from linerate.records import JournalEntry, Purpose, Trial, planned_id
from linerate.searches import Bound, GoalResult, SearchEntry


def measure_search(planned: PlannedSearch, store: Store, site: NicSite | None = None) -> None:
    """Run one search on a program load of its own, and keep its trials and what it found.

    A search that was interrupted starts over, for its program load is gone. Its trials stay in
    the journal under their own ids.
    """
    tried = {
        entry.run_id
        for entry in store.entries()
        if entry.purpose == "search" and _of(entry.run_id, planned)
    }
    again = f"+{len(tried)}" if tried else ""
    named = replace(planned, search_id=planned.search_id + again)
    attempt = Attempt.now()
    try:
        store.append_search(_searched(named, store, site))
    except DeviceFailedError as error:
        failed = _entry(named, attempt.failed(error), "search")
        store.append(failed)
        store.append_search(_unfound(named, failed))


def _of(run_id: str, planned: PlannedSearch) -> bool:
    """Whether a trial is of a search, by whichever box; where it began anew, too."""
    return planned_id(run_id) == planned_id(planned.search_id)


def _searched(named: PlannedSearch, store: Store, site: NicSite | None) -> SearchEntry:
    with failures_are_results():
        cell = datapath_named(named.cell.datapath).described(named.cell, store.folder)
    with open_bench(cell, store.folder, site) as bench:
        cell = datapath_named(cell.datapath).executed(cell)
        named = replace(named, cell=cell)
        subject = Subject(
            search_id=named.search_id,
            repetition=named.repetition,
            cell=cell,
            program_hash=bench.program_hash,
            run_trial=_kept(named, bench, store, "search"),
            run_point=_kept(named, bench, store, "curve"),
        )
        return run_search(subject, named.spec)


def _unfound(planned: PlannedSearch, failed: JournalEntry) -> SearchEntry:
    """State that a search found nothing, since the device failed."""
    nothing = Bound(lower_mpps=None, upper_mpps=None)
    (reason,) = failed.verdict.reasons
    return SearchEntry(
        search_id=planned.search_id,
        repetition=planned.repetition,
        cell=planned.cell,
        preset=planned.spec.preset,
        min_mpps=planned.spec.min_mpps,
        max_mpps=planned.cell.load.offered_mpps,
        max_from="max_load",
        results=tuple(
            GoalResult(goal=goal, bound=nothing, reason=reason) for goal in planned.spec.goals
        ),
        trials=0,
        disturbed_trials=0,
        duration_s=failed.trial.duration_s,
        steal_ratio=0.0,
        verdict=failed.verdict,
        program_hash="",
        started_at=failed.trial.started_at,
    )


def _kept(planned: PlannedSearch, bench: Bench, store: Store, purpose: Purpose) -> RunTrial:
    """Run trials on a bench, each in the journal before it is looked at."""

    def run(load: Load, timing: Timing) -> Trial:
        trial = bench.run_trial(load, timing)
        taken = replace(planned, cell=replace(planned.cell, load=load))
        store.append(_entry(taken, trial, purpose, bench.program_hash))
        return trial

    return run


def _entry(
    planned: PlannedSearch, trial: Trial, purpose: Purpose, program_hash: str = ""
) -> JournalEntry:
    cell = planned.cell
    return JournalEntry(
        run_id=planned.search_id + (_point(cell.load) if purpose == "curve" else ""),
        repetition=planned.repetition,
        canary=False,
        purpose=purpose,
        cell=cell,
        trial=trial,
        verdict=judge(cell, trial),
        program_hash=program_hash,
        cost=cost_of(cell),
    )


def _point(load: Load) -> str:
    """Tell the loads of one search apart: each is a row of the table of runs."""
    return f"-{load.arrivals}-{load.offered_mpps:.6f}"
