"""What of a campaign is finished: each planned run's trials in the journal, and its searches."""

from __future__ import annotations

from dataclasses import dataclass

from linerate.files.store import Store
from linerate.measure.campaign.campaign import Campaign
from linerate.records import JournalEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What the journal has of one planned run."""

    entries: int = 0
    """Its trials in all, failed ones among them."""
    trials: int = 0
    """Of these, since the device last failed: what counts towards the plan."""
    failed: bool = False
    """Whether the last of them ended with the device."""

    def and_then(self, entry: JournalEntry) -> Finished:
        """Count one more."""
        failed = bool(entry.trial.failure)
        trials = 0 if failed else self.trials + 1
        return Finished(entries=self.entries + 1, trials=trials, failed=failed)

    def is_whole(self, campaign: Campaign) -> bool:
        """Whether nothing of the run is left to do, unless it is asked for anew."""
        return self.failed or self.trials >= campaign.trials


def finished_trials(store: Store) -> dict[str, Finished]:
    """Count the trials of each planned run that the journal has."""
    finished: dict[str, Finished] = {}
    for entry in store.entries():
        run_id = planned_id(entry.run_id)
        finished[run_id] = finished.get(run_id, Finished()).and_then(entry)
    return finished


def finished_searches(store: Store, *, retry_failed: bool = False) -> set[str]:
    """Ids of the planned searches that need not be run again.

    Parameters
    ----------
    store
        The campaign's folder.
    retry_failed
        Whether a search that the device's failure ended is to be run again.
    """
    last = {planned_id(entry.search_id): entry for entry in store.searches()}
    return {
        search_id
        for search_id, entry in last.items()
        if not (retry_failed and entry.verdict.state == "invalid")
    }


def planned_id(run_id: str) -> str:
    """Id of the plan's run or search: what was begun again has a number behind it."""
    return run_id.split("+")[0]
