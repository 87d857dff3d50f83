"""From finished trials to the tidy table: one row for each program load and cell.

The canary's runs are not rows of the plan: they only tell how fast the machine was around the
time of each other run (``drift_ratio``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from linerate.box import Box
from linerate.cells import Cell
from linerate.errors import bad_input
from linerate.records import JournalEntry
from linerate.tables.cell_columns import cell_columns
from linerate.tables.columns import COLUMNS, KNOWN
from linerate.tables.rates import with_own_cores
from linerate.tables.settings_columns import DTYPES, with_settings, written
from linerate.tables.shared_cores import LookedTrials, led_back_mpps
from linerate.tables.trial_columns import trial_columns

CHUNK_RUNS = 8192
"""Runs whose rows are Python objects at a time."""


def runs_from(
    entries: Sequence[JournalEntry], box: Box, campaign: str, git_revision: str
) -> pd.DataFrame:
    """Sum the trials of each run into one row; the canary's become ``drift_ratio``.

    Steps of a search are left out: what a search says is in a table of its own.
    Counts are summed over the valid trials of a run; where none is valid over the suspect ones,
    and over impossible ones only where there is nothing else, or where the device failed in one
    of them. Rates are derived from the sums.
    """
    grouped: dict[str, list[JournalEntry]] = defaultdict(list)
    for entry in entries:
        grouped[entry.run_id].append(entry)
    return table_of(grouped.values(), {"": box}, campaign, git_revision)


def table_of(
    runs: Iterable[Sequence[JournalEntry]], boxes: Mapping[str, Box], campaign: str,
    git_revision: str,
) -> pd.DataFrame:  # fmt: skip
    """Do as ``runs_from`` with trials that come run by run, a chunk of them in memory at a time.

    ``boxes`` are by the name that their trials carry: none where a campaign has one box.
    """
    fixed = {"campaign": campaign, "git_revision": git_revision}
    of_box = columns_of(boxes)

    def of_place(box: str, cell: Cell) -> dict[str, object]:
        return fixed | of_box(box) | cell_columns(cell)

    looked = LookedTrials()
    measured = looked.through(filter(None, map(_measured, runs)))
    parts: list[pd.DataFrame] = []
    while len(part := _chunk(islice(measured, CHUNK_RUNS), of_place)):
        parts.append(part)
    settings = (str(name) for part in parts for name in part if name not in KNOWN)
    names = with_settings([column.name for column in COLUMNS], settings)
    rows = (pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()).reindex(columns=names)
    slopes = {boxes[name].name: slope for name, slope in looked.slopes().items()}
    rows["unshared_mpps"] = rows["unshared_mpps"].fillna(pd.Series(led_back_mpps(rows, slopes)))
    is_canary = rows["source"] == "canary"
    rows["drift_ratio"] = _drift_by_box(rows)
    return written(rows[~is_canary].reset_index(drop=True), KNOWN)


def drift_of_searches(runs: Iterable[Sequence[JournalEntry]]) -> dict[str, float]:
    """Tell the speed of the canary when each search began, over its median, by the search's id.

    Parameters
    ----------
    runs
        Trials of a journal, run by run: those of canaries and of searches count.

    Returns
    -------
    1 where there was no canary.
    """
    rows = [
        {"run_id": run[0].run_id, "box": run[0].box}
        | trial_columns(run if run[0].canary else run[:1])
        for run in runs if run[0].canary or run[0].purpose == "search"
    ]  # fmt: skip
    if not rows:
        return {}
    table = pd.DataFrame(rows)
    found = dict(zip(table["run_id"], _drift_by_box(table), strict=True))
    return {str(run_id): float(ratio) for run_id, ratio in found.items()}


def _drift_by_box(rows: pd.DataFrame) -> pd.Series:
    tells = (rows["source"] == "canary") & (rows["verdict"] != "invalid")
    drift = pd.Series(1.0, index=rows.index)
    for _, own in rows.groupby("box"):
        drift[own.index] = _drift_ratios(own, tells[own.index].to_numpy())
    return drift


def columns_of(boxes: Mapping[str, Box]) -> Callable[[str], dict[str, str]]:
    """Give the columns that name the box of a row, by the name that its trials carry."""
    columns = {name: {"box": box.name, "box_hash": box.checked_hash} for name, box in boxes.items()}

    def of_box(name: str) -> dict[str, str]:
        if name not in columns:
            raise bad_input(
                "box", name, why="the campaign's folder does not know it",
                allowed=", ".join(filter(None, columns)) or "none", do="restore its boxes.json",
            )  # fmt: skip
        return columns[name]

    return of_box


def _chunk(
    runs: Iterable[Sequence[JournalEntry]], of_place: Callable[[str, Cell], dict[str, object]]
) -> pd.DataFrame:
    """Make rows of runs: what box and cell decide is spelled once for all runs of one cell."""
    places: dict[tuple[str, Cell], int] = {}
    code, rows = [], []
    for each in runs:  # whose trials are let go at once
        code.append(places.setdefault((each[0].box, each[0].cell), len(places)))
        rows.append(trial_columns(each))
    repeated = _typed([of_place(*place) for place in places]).take(code).reset_index(drop=True)
    return pd.DataFrame({**dict(repeated.items()), **dict(_typed(rows).items())})


def _typed(rows: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    """Put rows into a table; settings, of which other chunks may have more, are not typed yet."""
    table = pd.DataFrame(rows)
    known = [name for name in map(str, table) if name in KNOWN]
    return table.astype({name: DTYPES[KNOWN[name].kind] for name in known})


def _measured(of_run: Sequence[JournalEntry]) -> list[JournalEntry]:
    return [entry for entry in of_run if entry.purpose != "search"]


def _drift_ratios(own: pd.DataFrame, tells: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Canary's rate over its median, interpolated to each start; shape (n,), 1 without canaries.

    ``own`` are runs and canaries of one box, ``tells`` which of them are believed canaries.
    """
    if not tells.any():
        return np.ones(len(own))
    seconds = _onwards(_seconds(own["started_at"]))
    ratios = with_own_cores(own)["forwarded_mpps"].to_numpy(np.float64)[tells]
    return np.asarray(np.interp(seconds, seconds[tells], ratios / np.median(ratios)))


def _seconds(started_at: pd.Series) -> NDArray[np.float64]:
    stamps = pd.to_datetime(started_at, format="ISO8601", utc=True)
    since_epoch = stamps - pd.Timestamp(0, tz="UTC")
    return np.asarray(since_epoch.dt.total_seconds(), dtype=np.float64)


def _onwards(seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Let starts go on in the order of the journal, where the clock was set back meanwhile.

    >>> _onwards(np.array([10.0, 20.0, 5.0, 15.0]))
    array([10., 20., 20., 30.])
    """
    known = ~np.isnan(seconds)
    steps = np.diff(seconds[known], prepend=0.0)
    if (steps >= 0.0).all():
        return seconds
    going = np.full(len(seconds), np.nan)
    going[known] = np.cumsum(np.maximum(steps, 0.0))
    return going
