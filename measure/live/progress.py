"""How far a campaign is: folded from its plan and its journal, trial by trial.

The process that measures folds each trial once it is on disk; who watches a folder folds the lines
of its journal. Both see the same, so that nothing is shown that is not kept.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from linerate.cells import Cell
from linerate.files.lab_boxes import NAME as BOXES
from linerate.files.store import Store
from linerate.measure.campaign.campaign import Campaign
from linerate.measure.campaign.finished import Finished
from linerate.measure.campaign.order import PlannedRun
from linerate.measure.campaign.search_order import PlannedSearch, plan_all
from linerate.measure.live.events import (
    CampaignBegun,
    CampaignEnded,
    Event,
    RunFinished,
    RunJudged,
    SearchFinished,
    TrialFinished,
)
from linerate.measure.live.pace import Pace
from linerate.records import JournalEntry, VerdictState, planned_id
from linerate.searches import SearchEntry
from linerate.tables.search_answers import SearchAnswer, answers_of
from linerate.tables.search_table import searches_alone
from linerate.tables.trial_columns import believed

RATES_SHOWN = 40
"""Trials of which a rate is remembered."""
Planned = PlannedRun | PlannedSearch
Hear = Callable[["Progress", Sequence[Event]], None]
"""Called with how far a campaign is and what happened: before its first run, before each, after
each trial. It is called between trials, by the process that measures: what it takes is not part of
a trial, and all of it of the campaign."""


@dataclass(slots=True)
class Progress:
    """How far a campaign is."""

    campaign: Campaign
    adaptive: bool = False
    """Whether its runs are chosen round by round: which comes next is not known, nor how many."""
    current: Planned | None = None
    """What is measured now, as the process that measures says; None where nobody said."""
    last: JournalEntry | None = None
    """Trial that was finished last."""
    rates_mpps: deque[float] = field(default_factory=lambda: deque(maxlen=RATES_SHOWN))
    """Forwarded by the last trials, in order."""
    canary_mpps: list[float] = field(default_factory=list)
    """Rates of the canary's runs that are not invalid, in order."""
    repeated: list[float] = field(default_factory=list)
    """Of each run of a cell that was measured before: its rate over the median of the earlier."""
    found: set[str] = field(default_factory=set)
    """Ids of the finished searches."""
    searched: list[SearchEntry] = field(default_factory=list)
    """The finished searches, in order."""
    pace: Pace = field(default_factory=Pace)
    failed: set[str] = field(default_factory=set)
    """Planned runs and searches in which the device under test failed last."""
    verdicts: dict[str, VerdictState] = field(default_factory=dict)
    """Of each finished run, by its planned id: that of its last program load."""
    runs: tuple[PlannedRun, ...] = field(init=False)
    searches: tuple[PlannedSearch, ...] = field(init=False)
    _planned: dict[str, Cell] = field(init=False)
    _left: Counter[Cell] = field(init=False)
    _done: dict[str, Finished] = field(default_factory=dict)
    _open: dict[str, list[JournalEntry]] = field(default_factory=lambda: defaultdict(list))
    _rates_of: dict[Cell, list[float]] = field(default_factory=lambda: defaultdict(list))
    _taken: Counter[str] = field(default_factory=Counter)
    _before: int = 0
    _answers: tuple[int, tuple[SearchAnswer, ...]] = (0, ())
    """What so many finished searches answer."""

    def __post_init__(self) -> None:
        runs, searches = plan_all(self.campaign)
        self.runs, self.searches = tuple(runs), () if self.adaptive else tuple(searches)
        self._planned = {run.run_id: run.cell for run in self.runs}
        self._left = Counter(run.cell for run in self.runs if not run.canary)

    @classmethod
    def of(cls, campaign: Campaign, store: Store, *, adaptive: bool) -> Progress:
        """Fold what a campaign's folder has."""
        progress = cls(campaign=of_lab(campaign, store), adaptive=adaptive)
        for trial in store.entries():
            progress.take(trial)
        for search in store.searches():
            progress.take(search)
        return progress

    @property
    def cells(self) -> int:
        """Cells of the plan."""
        return len(self._left)

    @property
    def cells_left(self) -> int:
        """Cells of which a run is not finished."""
        return sum(1 for left in self._left.values() if left > 0)

    @property
    def is_whole(self) -> bool:
        """Whether every planned run and search is finished."""
        return len(self.verdicts) >= len(self.runs) and len(self.found) >= len(self.searches)

    @property
    def counted(self) -> Counter[VerdictState]:
        """Finished runs by verdict."""
        return Counter(self.verdicts.values())

    def answers(self) -> tuple[SearchAnswer, ...]:
        """Say what the searches finished so far answer together."""
        if self._answers[0] != len(self.searched):
            self._answers = (len(self.searched), answers_of(searches_alone(self.searched)))
        return self._answers[1]

    def next_planned(self) -> Planned | None:
        """Say what is measured now, by the plan; None where it does not say, or at the end."""
        if self.current is not None or self.adaptive:
            return self.current
        while self._before < len(self.runs) and self.runs[self._before].run_id in self.verdicts:
            self._before += 1
        rest = (each for each in self.searches if each.search_id not in self.found)
        return self.runs[self._before] if self._before < len(self.runs) else next(rest, None)

    def trial_of(self, planned: Planned) -> tuple[int, int]:
        """Say which trial of a run or search is under way, and how often it was disturbed."""
        if isinstance(planned, PlannedSearch):
            return self._taken[planned.search_id] + 1, 0
        done = self._done.get(planned.run_id, Finished())
        again = done.failed or done.trials >= self.campaign.trials
        return (1, 0) if again else (done.trials + 1, done.disturbed)

    def take(self, entry: JournalEntry | SearchEntry) -> tuple[Event, ...]:
        """Take what was finished, and say what became of it."""
        if isinstance(entry, SearchEntry):
            return self.after_search(entry)
        return self.after(entry)

    def begun(self, out: Path) -> CampaignBegun:
        """Tell that it begins, or goes on, in a folder."""
        return CampaignBegun(
            campaign=self.campaign.name, out=str(out), lab=self.campaign.lab,
            adaptive=self.adaptive, cells=self.cells, planned_runs=len(self.runs),
            planned_searches=len(self.searches), trials_per_run=self.campaign.trials,
            finished_runs=len(self.verdicts), finished_searches=len(self.found),
        )  # fmt: skip

    def ended(self, out: Path, state: str, exit_code: int) -> CampaignEnded:
        """Tell that nothing more is measured."""
        counted = self.counted
        return CampaignEnded(
            out=str(out), state=state, exit_code=exit_code, finished_runs=len(self.verdicts),
            planned_runs=len(self.runs), finished_searches=len(self.found),
            planned_searches=len(self.searches), valid=counted["valid"],
            suspect=counted["suspect"], invalid=counted["invalid"],
        )  # fmt: skip

    def after(self, entry: JournalEntry) -> tuple[Event, ...]:
        """Take a finished trial, and say what became of it."""
        self.last = entry
        self.rates_mpps.append(entry.trial.forwarded_mpps)
        of_plan = planned_id(entry.run_id)
        (self.failed.add if entry.trial.failure else self.failed.discard)(of_plan)
        if entry.canary and of_plan not in self._planned:  # of a box's own, or between searches
            self.canary_mpps.append(entry.trial.forwarded_mpps)
            return (TrialFinished.of(entry, 1),)
        if entry.purpose != "run":
            return self._after_step(entry, "-".join(of_plan.split("-")[:2]))
        self.pace.trial(of_plan, entry.trial.started_at, is_search=False)
        load = self._open[of_plan]
        if load and load[0].run_id != entry.run_id:
            load.clear()  # what is begun again is another program load
        load.append(entry)
        before = self._done.get(of_plan, Finished(retries=self.campaign.retries))
        self._done[of_plan] = done = before.and_then(entry)
        taken = TrialFinished.of(entry, min(before.trials + 1, self.campaign.trials))
        if not done.is_whole(self.campaign):
            return (taken,)
        return taken, *self._finished(of_plan, self._open.pop(of_plan))

    def after_search(self, entry: SearchEntry) -> tuple[Event, ...]:
        """Take a finished search."""
        self.found.add(planned_id(entry.search_id))
        self.searched.append(entry)
        self.current = None
        return (SearchFinished.of(entry, len(self.found), len(self.searches)),)

    def _after_step(self, entry: JournalEntry, of_plan: str) -> tuple[Event, ...]:
        """Take a trial of a search, or of a load that it led to, whose id names both."""
        self.pace.trial(of_plan, entry.trial.started_at, is_search=True)
        self._taken[of_plan] += 1
        return (TrialFinished.of(entry, self._taken[of_plan]),)

    def _finished(self, of_plan: str, load: list[JournalEntry]) -> tuple[Event, ...]:
        first = load[0]
        judged = RunJudged.of(believed(load))
        if of_plan not in self.verdicts and not first.canary:
            # As it was planned: a journal may say more of it.
            self._left[self._planned.get(of_plan, first.cell)] -= 1
        self.verdicts[of_plan] = judged.verdict
        self.current = None
        if judged.verdict != "invalid":
            self._compare(first, judged.forwarded_mpps)
        return RunFinished.of(first, len(load), len(self.verdicts), len(self.runs)), judged

    def _compare(self, first: JournalEntry, mpps: float) -> None:
        if first.canary:
            self.canary_mpps.append(mpps)
            return
        earlier = self._rates_of[first.cell]
        if earlier and (median := float(np.median(earlier))) > 0.0:
            self.repeated.append(mpps / median)
        earlier.append(mpps)


@dataclass(frozen=True, slots=True)
class Reporting:
    """A campaign that is measured here, and who hears of it."""

    progress: Progress
    hear: Hear

    def begun(self, out: Path) -> None:
        """Tell that it begins, or goes on."""
        self.hear(self.progress, (self.progress.begun(out),))

    def next(self, planned: Planned) -> None:
        """Tell what is measured now."""
        self.progress.current = planned
        self.hear(self.progress, ())

    def kept(self, entry: JournalEntry | SearchEntry) -> None:
        """Tell of a trial or search that is on disk."""
        self.hear(self.progress, self.progress.take(entry))


def of_lab(campaign: Campaign, store: Store) -> Campaign:
    """Leave out the plan's canaries where boxes of a lab share it: each has its own."""
    return without_canaries(campaign) if (store.folder / BOXES).exists() else campaign


def without_canaries(campaign: Campaign) -> Campaign:
    """Give a plan of the same runs in the same order, without its canaries."""
    return campaign.model_copy(update={"canary_every": 0})
