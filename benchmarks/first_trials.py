"""The table of a campaign as it would be without repeats: ``first_trials.py FOLDER OUT.csv``.

Of each run the first trial is taken that is valid where nobody looks whether others used the core,
too; `trials` must be 1. Beside the campaign's own table, whose trials were repeated until they had
the core to themselves, it shows what the probe `sharing` brought: both are of the same loads.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from linerate.files.journal import trials_in
from linerate.files.store import Store
from linerate.measure.trials.validity import judge
from linerate.records import JournalEntry
from linerate.tables.tidy import table_of


def unlooked(entry: JournalEntry) -> JournalEntry:
    """Judge a trial as if nobody had looked."""
    trial = replace(entry.trial, probes={})
    return replace(entry, trial=trial, verdict=judge(entry.cell, trial))


def main() -> None:
    """Write the table, and print how many trials were left out of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    asked = parser.parse_args()
    store, first, later = Store(asked.folder), dict[str, JournalEntry](), 0
    for entry in map(unlooked, trials_in(store.journal_path)):
        known = first.setdefault(entry.run_id, entry)
        if known.verdict.state != "valid":
            first[entry.run_id] = entry
        later += first[entry.run_id] is not entry
    begun = store.provenance()
    runs = ([entry] for entry in first.values())
    table = table_of(runs, store.boxes(), begun.campaign, begun.git_revision)
    table.to_csv(asked.out, index=False)
    print(f"{len(table)} runs in {asked.out}; {later} repeated trials left out")


if __name__ == "__main__":
    main()
