"""Running a campaign: every planned run once, each finished trial safe before the next."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field, replace
from math import isinf
from pathlib import Path

from linerate.cells import Cell
from linerate.errors import DeviceFailedError
from linerate.files.store import Store
from linerate.measure.boxes.turns import HERE, Turns, Work, work_left
from linerate.measure.campaign.campaign import Campaign
from linerate.measure.campaign.finished import Finished
from linerate.measure.campaign.order import PlannedRun
from linerate.measure.campaign.run_search import measure_search
from linerate.measure.campaign.search_order import PlannedSearch
from linerate.measure.collectors.probed import ProbeKind, check_probes, probed
from linerate.measure.datapaths.benches import check_bench, open_bench
from linerate.measure.datapaths.own import cost_of
from linerate.measure.datapaths.registry import datapath_named
from linerate.measure.labs.nic import NicSite, check_site, open_site
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.device import Attempt, failures_are_results
from linerate.measure.trials.validity import judge
from linerate.records import JournalEntry, Trial

OnNext = Callable[[PlannedRun | PlannedSearch], None]
"""Called with what is measured next."""


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
    DeviceFailedError
        No program of the campaign can be built. One among others is a result of its runs.
    CannotHereError
        A runner or program is not built, a probe cannot run, or a host cannot be reached.
    """
    cells = [*campaign.cells(), *(cell for cell, _ in campaign.searches())]
    failed = [error for cell in cells if (error := _startable(cell, campaign, folder))]
    if len(failed) == len(cells):  # nothing is left to measure
        raise failed[0]
    if campaign.nic is not None:
        check_site(campaign.nic)
    check_probes(campaign.probes)


def _startable(cell: Cell, campaign: Campaign, folder: Path) -> DeviceFailedError | None:
    try:
        check_bench(cell, folder, campaign.nic)
    except DeviceFailedError as error:
        return error
    return None


def measure_campaign(
    campaign: Campaign, store: Store, on_next: OnNext, *, retry_failed: bool = False
) -> None:
    """Run what the journal lacks of a campaign's plan, then derive its tables.

    A run whose device under test failed is finished: its reason is in the journal.

    Parameters
    ----------
    campaign
        What to measure.
    store
        Its folder, new or resumed.
    on_next
        Called before each run and search that is not finished yet.
    retry_failed
        Whether runs whose device failed are measured again, each once.

    Raises
    ------
    LinerateError
        Something but the device failed; every trial finished so far is in the journal.
    """
    turns = Turns(work_left(campaign, store, retry_failed=retry_failed))
    with open_site(campaign.nic) as site:
        while work := turns.take(HERE):
            on_next(work.planned)
            measure_work(work, campaign, store, site)
            turns.done(HERE)
    store.write_runs()
    store.write_searches()


def measure_work(work: Work, campaign: Campaign, store: Store, site: NicSite | None) -> None:
    """Measure what is left of a run, or a search, into a campaign's folder."""
    if isinstance(work.planned, PlannedSearch):
        measure_search(work.planned, store, site)
    else:
        measure_run(work.planned, work.finished, campaign, store, site)


def measure_run(
    run: PlannedRun, finished: Finished, campaign: Campaign, store: Store, site: NicSite | None
) -> None:
    """Measure what is left of one run, if anything, each trial in the journal before the next.

    Parameters
    ----------
    run
        What was planned.
    finished
        What the journal has of it.
    campaign
        Its number of trials, how long they are, and probes.
    store
        Its folder.
    site
        The two hosts of the nic lab.
    """
    missing = campaign.trials - finished.trials
    if missing <= 0:
        return
    left = _Left(run=replace(run, run_id=finished.next_id(run.run_id)), trials=missing)
    trials = _trials(left, campaign, store.folder, site)
    with closing(trials):  # the lab is down again before an error is reported
        for entry in trials:
            store.append(entry)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Left:
    """What is left to do of a planned run."""

    run: PlannedRun
    trials: int


def _trials(
    left: _Left, campaign: Campaign, folder: Path, site: NicSite | None
) -> Generator[JournalEntry]:
    """Run the trials of a program load; the device's failure is the last of them."""
    entry = _EntryOf(left.run)
    timing = Timing(warm_up_seconds=campaign.warm_up_seconds, seconds=campaign.trial_seconds)
    try:
        with failures_are_results():
            entry.cell = datapath_named(left.run.cell.datapath).described(left.run.cell, folder)
        with (
            open_bench(entry.cell, folder, site) as unprobed,
            probed(unprobed, probes_of(campaign, entry.cell)) as bench,
        ):
            entry.program_hash = bench.program_hash
            entry.cell = datapath_named(entry.cell.datapath).executed(entry.cell)
            for _ in range(left.trials):
                for _ in range(1 + campaign.retries):
                    entry.attempt = Attempt.now()
                    finished = entry.of(bench.run_trial(entry.cell.load, timing))
                    yield finished
                    if finished.verdict.state == "valid":
                        break
    except DeviceFailedError as error:
        yield entry.of(entry.attempt.failed(error))


def probes_of(campaign: Campaign, cell: Cell) -> list[ProbeKind]:
    """Take a campaign's probes but for looks that would lie in the latencies of a cell.

    Of what is flooded latencies are those of full queues.
    """
    return [
        kind
        for kind in campaign.probes
        if kind != "sharing" or cell.mode == "serial" or isinf(cell.load.offered_mpps)
    ]


@dataclass(slots=True)
class _EntryOf:
    """What the entries of one run share, as far as it has come."""

    run: PlannedRun
    cell: Cell = field(init=False)
    program_hash: str = ""
    attempt: Attempt = field(default_factory=Attempt.now)

    def __post_init__(self) -> None:
        self.cell = self.run.cell

    def of(self, trial: Trial) -> JournalEntry:
        """Make an entry of a trial."""
        return JournalEntry(
            run_id=self.run.run_id,
            repetition=self.run.repetition,
            canary=self.run.canary,
            cell=self.cell,
            trial=trial,
            verdict=judge(self.cell, trial),
            program_hash=self.program_hash,
            cost=cost_of(self.cell),
        )
