"""Running the part of a campaign that is worth it: what to measure next is asked round by round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from linerate.cells import Cell
from linerate.files.store import Store
from linerate.measure.campaign.campaign import Campaign
from linerate.measure.campaign.finished import Finished, finished_trials
from linerate.measure.campaign.order import PlannedRun, plan_runs
from linerate.measure.campaign.run import OnNext, measure_run
from linerate.measure.labs.nic import NicSite, open_site

Choose = Callable[[pd.DataFrame, Sequence[int]], Sequence[int]]
"""Given the table of runs so far, and how many runs are left of each of the campaign's cells:
the cells to measure next by their number, one once for each run; none to stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rest:
    """The runs of a campaign that can still be chosen."""

    runs: dict[Cell, list[PlannedRun]]
    """Of each cell, in the order of repetitions."""
    canaries: list[PlannedRun]

    @classmethod
    def of(cls, campaign: Campaign) -> _Rest:
        planned = plan_runs(campaign, np.random.default_rng(campaign.seed))
        runs = defaultdict(list)
        for run in planned:
            if not run.canary:
                runs[run.cell].append(run)
        return cls(runs=dict(runs), canaries=[run for run in planned if run.canary])

    def without(
        self, done: Mapping[str, Finished], campaign: Campaign
    ) -> dict[Cell, list[PlannedRun]]:
        """List the runs of each cell that lack trials; where the device failed none do."""
        return {
            cell: [run for run in runs if not done.get(run.run_id, Finished()).is_whole(campaign)]
            for cell, runs in self.runs.items()
        }


def measure_until(campaign: Campaign, store: Store, choose: Choose, on_next: OnNext) -> None:
    """Measure what is chosen of a campaign's cells, until nothing is.

    The runs are those of the campaign's plan with their ids, in another order: a resumed campaign
    goes on from its journal, and one that is resumed as a whole measures only what was left out.
    Searches are not among the runs.

    Parameters
    ----------
    campaign
        What can be measured.
    store
        Its folder, new or resumed.
    choose
        Asked before each round.
    on_next
        Called before each run.

    Raises
    ------
    LinerateError
        Something failed; every trial finished so far is in the journal.
    """
    rest, cells = _Rest.of(campaign), campaign.cells()
    with open_site(campaign.nic) as site:
        rounds = _Rounds(campaign=campaign, store=store, site=site, rest=rest, on_next=on_next)
        rounds.run(rounds.begun())
        while True:
            left = rest.without(finished_trials(store, campaign), campaign)
            chosen = choose(store.write_runs(), [len(left[cell]) for cell in cells])
            runs = [left[cells[number]].pop(0) for number in chosen if left[cells[number]]]
            if not runs:
                break
            rounds.run(runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rounds:
    """A campaign that is being measured."""

    campaign: Campaign
    store: Store
    site: NicSite | None
    rest: _Rest
    on_next: OnNext

    def begun(self) -> list[PlannedRun]:
        """List the runs that an interruption cut short."""
        done = finished_trials(self.store, self.campaign)
        left = self.rest.without(done, self.campaign)
        return [run for runs in left.values() for run in runs if run.run_id in done]

    def run(self, runs: Sequence[PlannedRun]) -> None:
        """Measure runs, with the canary where it is due."""
        done = finished_trials(self.store, self.campaign)
        for run in runs:
            for due in [*self._canary(done), run]:
                before = done.get(due.run_id, Finished())
                if not before.is_whole(self.campaign):
                    self.on_next(due)
                    measure_run(due, before, self.campaign, self.store, self.site)
                done[due.run_id] = Finished(trials=self.campaign.trials)

    def _canary(self, done: Mapping[str, Finished]) -> list[PlannedRun]:
        planned = sum(map(len, self.rest.runs.values()))
        left = sum(map(len, self.rest.without(done, self.campaign).values()))
        every, finished = self.campaign.canary_every, planned - left
        due = every > 0 and finished % every == 0
        return self.rest.canaries[finished // every :][:1] if due else []
