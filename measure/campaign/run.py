"""Running a campaign: every planned run once, each finished trial safe before the next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from linerate.files.store import Store
from linerate.measure.campaign.campaign import Campaign
from linerate.measure.campaign.order import PlannedRun, plan_runs
from linerate.measure.campaign.run_search import finished_searches, measure_search
from linerate.measure.campaign.search_order import plan_searches
from linerate.measure.collectors.probed import check_probes, probed
from linerate.measure.datapaths.benches import check_bench, open_bench
from linerate.measure.datapaths.swx.spec.own import described
from linerate.measure.labs.nic import NicSite, check_site, open_site
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.validity import judge
from linerate.records import JournalEntry

SUSPECT_RETRIES = 2
"""Further trials of a load whose trial was disturbed; the disturbed ones are kept, marked."""

OnRun = Callable[["Progress"], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a campaign is."""

    finished_runs: int
    planned_runs: int
    last: PlannedRun | None = None
    """The run that was just finished; None before the first, and after a search."""


def check_runnable(campaign: Campaign, folder: Path = Path()) -> None:
    """Refuse, before anything is written or measured, what this machine cannot run.

    Parameters
    ----------
    campaign
        What is to be measured.
    folder
        Where paths of the user's own programs begin.

    Raises
    ------
    BadInputError
        More queues than there are cores for.
    CannotHereError
        A runner or program is not built, a probe cannot run, or a host cannot be reached.
    """
    for cell in [*campaign.cells(), *(cell for cell, _ in campaign.searches())]:
        check_bench(cell, folder, campaign.nic)
    if campaign.nic is not None:
        check_site(campaign.nic)
    check_probes(campaign.probes)


def measure_campaign(campaign: Campaign, store: Store, on_run: OnRun) -> None:
    """Run what the journal lacks of a campaign's plan, then derive its tables.

    Parameters
    ----------
    campaign
        What to measure.
    store
        Its folder, new or resumed.
    on_run
        Called before the first run and after each.

    Raises
    ------
    LinerateError
        Something failed; every trial finished so far is in the journal.
    """
    rng = np.random.default_rng(campaign.seed)
    planned, searches = plan_runs(campaign, rng), plan_searches(campaign, rng)
    in_all = len(planned) + len(searches)
    finished = finished_trials(store)
    with open_site(campaign.nic) as site:
        on_run(Progress(finished_runs=0, planned_runs=in_all))
        for position, run in enumerate(planned, start=1):
            measure_run(run, finished[run.run_id], campaign, store, site)
            on_run(Progress(finished_runs=position, planned_runs=in_all, last=run))
        found = finished_searches(store)
        for position, search in enumerate(searches, start=len(planned) + 1):
            if search.search_id not in found:
                measure_search(search, store, site)
            on_run(Progress(finished_runs=position, planned_runs=in_all))
    store.write_runs()
    store.write_searches()


def finished_trials(store: Store) -> Counter[str]:
    """Count the trials of each planned run that the journal has."""
    return Counter(entry.run_id.split("+")[0] for entry in store.entries())


def measure_run(
    run: PlannedRun, finished: int, campaign: Campaign, store: Store, site: NicSite | None
) -> None:
    """Measure what is left of one run, if anything, each trial in the journal before the next.

    Parameters
    ----------
    run
        What was planned.
    finished
        Trials of it that the journal has.
    campaign
        Its number of trials, how long they are, and probes.
    store
        Its folder.
    site
        The two hosts of the nic lab.
    """
    missing = campaign.trials - finished
    if missing <= 0:
        return
    left = _Left(run=_renamed(run, finished), trials=missing)
    trials = _trials(left, campaign, store.folder, site)
    with closing(trials):  # the lab is down again before an error is spoken of
        for entry in trials:
            store.append(entry)


def _renamed(run: PlannedRun, finished: int) -> PlannedRun:
    """Give what is left of an interrupted run an id of its own: it is another program load."""
    if not finished:
        return run
    return PlannedRun(
        run_id=f"{run.run_id}+{finished}",
        repetition=run.repetition,
        canary=run.canary,
        cell=run.cell,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Left:
    """What is left to do of a planned run."""

    run: PlannedRun
    trials: int


def _trials(
    left: _Left, campaign: Campaign, folder: Path, site: NicSite | None
) -> Generator[JournalEntry]:
    run, cell = left.run, described(left.run.cell, folder)
    timing = Timing(warm_up_seconds=campaign.warm_up_seconds, seconds=campaign.trial_seconds)
    with open_bench(cell, folder, site) as unprobed, probed(unprobed, campaign.probes) as bench:
        for _ in range(left.trials):
            for _ in range(1 + SUSPECT_RETRIES):
                trial = bench.run_trial(cell.load, timing)
                verdict = judge(cell, trial)
                yield JournalEntry(
                    run_id=run.run_id,
                    repetition=run.repetition,
                    canary=run.canary,
                    cell=cell,
                    trial=trial,
                    verdict=verdict,
                    program_hash=bench.program_hash,
                )
                if verdict.state == "valid":
                    break
