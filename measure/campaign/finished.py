"""What of a campaign is finished: each planned run's trials in the journal, and its searches."""

from __future__ import annotations

from dataclasses import dataclass, replace

from linerate.files.store import Store
from linerate.measure.campaign.campaign import Campaign
from linerate.records import JournalEntry, planned_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What the journal has of one planned run."""

    retries: int = 0
    """Further trials of one that was disturbed, as its campaign has it."""
    entries: int = 0
    """Its trials in all, failed ones among them."""
    trials: int = 0
    """Of the planned ones, those that came to an end since the device last failed: by a trial that
    was not disturbed, or by as many disturbed ones as there may be."""
    disturbed: int = 0
    """Trials of the next one, so far, under the same program load."""
    failed: bool = False
    """Whether the last of them ended with the device."""
    last_id: str = ""
    """Of the program load that was measured last."""

    def and_then(self, entry: JournalEntry) -> Finished:
        """Count one more."""
        done = replace(self, entries=self.entries + 1, failed=False, last_id=entry.run_id)
        if entry.trial.failure:
            return replace(done, trials=0, disturbed=0, failed=True)
        before = self.disturbed if entry.run_id == self.last_id else 0
        if entry.verdict.state == "valid" or before >= self.retries:
            return replace(done, trials=self.trials + 1, disturbed=0)
        return replace(done, disturbed=before + 1)

    def next_id(self, run_id: str) -> str:
        """Name what is left of an interrupted run: it is another program load."""
        if not self.entries:
            return run_id
        last = int(self.last_id.partition("+")[2] or 0)
        return f"{run_id}+{max(self.entries, last + 1)}"

    def is_whole(self, campaign: Campaign) -> bool:
        """Whether nothing of the run is left to do, unless it is asked for anew."""
        return self.failed or self.trials >= campaign.trials


def finished_trials(store: Store, campaign: Campaign) -> dict[str, Finished]:
    """Count the trials of each planned run of a campaign that its journal has."""
    begun = Finished(retries=campaign.retries)
    finished: dict[str, Finished] = {}
    for entry in store.entries():
        run_id = planned_id(entry.run_id)
        finished[run_id] = finished.get(run_id, begun).and_then(entry)
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
