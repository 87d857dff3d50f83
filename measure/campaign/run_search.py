"""Running a campaign's searches: each trial safe before the next, none found twice."""

from __future__ import annotations

from dataclasses import replace

from linerate.cells import Load
from linerate.files.store import Store
from linerate.measure.campaign.search_order import PlannedSearch
from linerate.measure.datapaths.benches import open_bench
from linerate.measure.datapaths.swx.spec.own import described
from linerate.measure.labs.nic import NicSite
from linerate.measure.search.measurer import RunTrial
from linerate.measure.search.run import Subject, run_search
from linerate.measure.trials.bench import Bench, Timing
from linerate.measure.trials.validity import judge
from linerate.records import JournalEntry, Purpose, Trial


def finished_searches(store: Store) -> set[str]:
    """Ids of the planned searches that need not be run again."""
    return {_planned_id(entry.search_id) for entry in store.searches()}


def measure_search(planned: PlannedSearch, store: Store, site: NicSite | None = None) -> None:
    """Run one search on a program load of its own, and keep its trials and what it found.

    A search that was interrupted starts over, for its program load is gone. Its trials stay in
    the journal under their own ids.
    """
    tried = {
        entry.run_id
        for entry in store.entries()
        if entry.purpose == "search" and _planned_id(entry.run_id) == planned.search_id
    }
    again = f"+{len(tried)}" if tried else ""
    with open_bench(planned.cell, store.folder, site) as bench:
        named = replace(
            planned, search_id=planned.search_id + again,
            cell=described(planned.cell, store.folder),
        )  # fmt: skip
        subject = Subject(
            search_id=named.search_id,
            repetition=named.repetition,
            cell=named.cell,
            program_hash=bench.program_hash,
            run_trial=_kept(named, bench, store, "search"),
            run_point=_kept(named, bench, store, "curve"),
        )
        store.append_search(run_search(subject, named.spec))


def _kept(planned: PlannedSearch, bench: Bench, store: Store, purpose: Purpose) -> RunTrial:
    """Run trials on a bench, each in the journal before it is looked at."""

    def run(load: Load, timing: Timing) -> Trial:
        trial = bench.run_trial(load, timing)
        cell = replace(planned.cell, load=load)
        store.append(
            JournalEntry(
                run_id=planned.search_id + (_point(load) if purpose == "curve" else ""),
                repetition=planned.repetition,
                canary=False,
                purpose=purpose,
                cell=cell,
                trial=trial,
                verdict=judge(cell, trial),
                program_hash=bench.program_hash,
            )
        )
        return trial

    return run


def _point(load: Load) -> str:
    """Tell the loads of one search apart: each is a row of the table of runs."""
    return f"-{load.arrivals}-{load.offered_mpps:.6f}"


def _planned_id(run_id: str) -> str:
    return run_id.split("+")[0]
