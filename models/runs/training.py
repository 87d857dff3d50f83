"""From a table of runs to what a model is fitted on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from linerate.errors import bad_input
from linerate.messages import note
from linerate.models.runs.cells import Array, Cells, Codes, Mask, Pair, cells_of
from linerate.models.runs.selection import Selection, alike, believable, possible, without
from linerate.tables.cell_columns import cell_codes
from linerate.tables.runs import check_runs

BUSY_MAX = 1.01
"""Largest busy share that clocks explain."""
CAPACITY_MODE = "serial"
"""Mode of the lab whose runs give capacity; tables without modes are used whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """n runs that a model may learn from; every array has shape (n,)."""

    cells: Cells
    forwarded_mpps: Array
    load: Codes
    """Runs of one program load share a code, and a random effect."""
    group: Codes
    """Runs of one (datapath, program, queues, accesses) share a code."""
    cell: Codes
    """Runs of one cell share a code."""
    busy: Array
    """Busy share of the queues' cores, 0 to 1; nan where not measured."""
    latency_us: Array
    """Mean one-way latency; nan where not measured."""
    one_socket: Array
    """1 where one socket returns the share of one queue only, 0 where each queue has its own;
    nan where there is none, or the table does not say."""
    row: Codes
    """Place of each run in the table that it is from."""
    notes: tuple[str, ...] = ()
    """What was left out, one sentence each."""

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def pairs_seen(self) -> tuple[Pair, ...]:
        """Datapaths and programs that have runs here."""
        return tuple(self.cells.pairs[code] for code in np.unique(self.cells.pair))

    @property
    def ceiling_mpps(self) -> Array:
        """Most that could come back: line rate, or less where less was offered."""
        return np.minimum(self.cells.line_mpps, self.cells.offered_mpps)

    def take(self, rows: Mask | Codes) -> Training:
        """Keep some runs."""
        return Training(
            cells=self.cells.take(rows), forwarded_mpps=self.forwarded_mpps[rows],
            load=self.load[rows], group=self.group[rows], cell=self.cell[rows],
            busy=self.busy[rows], latency_us=self.latency_us[rows],
            one_socket=self.one_socket[rows], row=self.row[rows],
        )  # fmt: skip

    def medians(self) -> Training:
        """One row per cell: the median of its runs."""
        _, first, inverse = np.unique(self.cell, return_index=True, return_inverse=True)
        mpps = pd.Series(self.forwarded_mpps).groupby(inverse).median()
        return replace(self.take(first), forwarded_mpps=np.asarray(mpps, dtype=np.float64))


_CHOSEN: ContextVar[list[tuple[pd.DataFrame, Training]] | None] = ContextVar("chosen", default=None)


@contextmanager
def chosen_once() -> Iterator[None]:
    """Have ``training_of`` choose once of each table until this ends; none may change meanwhile."""
    outer = _CHOSEN.get()
    token = _CHOSEN.set([] if outer is None else outer)
    try:
        yield
    finally:
        _CHOSEN.reset(token)


def training_of(runs: pd.DataFrame) -> Training:
    """Choose and check the runs that capacity is fitted on.

    Invalid runs, suspect ones of cells that have valid ones, runs of settings that no factor
    tells, runs of the split mode and runs that forwarded nothing are left out, and the notes say
    how many; unstable runs are kept.

    Raises
    ------
    BadInputError
        No table of runs, more than one box, or nothing left.
    """
    known = _CHOSEN.get()
    for table, training in known or ():
        if table is runs:
            return training
    training = _training_of(runs)
    if known is not None:
        known.append((runs, training))
    return training


def _training_of(runs: pd.DataFrame) -> Training:
    checked = check_runs(runs).reset_index(drop=True)
    refuse_mixed_boxes(checked)
    kept, notes = believable(checked)
    kept, notes = possible(kept, notes)
    kept, notes = alike(kept, notes)
    kept, notes = _of_capacity_mode(kept, notes)
    kept, notes = without(kept, kept["forwarded_mpps"] <= 0.0, note("forwarded nothing"), notes)
    kept, notes = without(kept, _duplicates(kept), note("exact duplicates of another row"),
                          notes)  # fmt: skip
    if kept.empty:
        raise bad_input(
            "runs", len(checked), why=note("none can be fitted on: {notes}", notes=notes),
            allowed=note("runs that are valid and forward packets"), do=note("measure again"),
        )  # fmt: skip
    return Training(
        cells=cells_of(kept),
        forwarded_mpps=kept["forwarded_mpps"].to_numpy(dtype=np.float64),
        load=_codes(kept, _load_columns(kept)),
        group=_codes(kept, ["datapath", "program", "queues", "memory_accesses"]),
        cell=np.asarray(cell_codes(kept).to_numpy(), dtype=np.intp),
        busy=_shares(kept["cpu_busy_ratio"]),
        latency_us=kept["latency_mean_us"].to_numpy(dtype=np.float64),
        one_socket=_one_socket(kept),
        row=np.asarray(kept.index.to_numpy(), dtype=np.intp),
        notes=(*notes, *_kept_notes(kept)),
    )


def _of_capacity_mode(runs: pd.DataFrame, notes: tuple[str, ...]) -> Selection:
    """Keep runs of the serial mode; those of another only where there are no others."""
    if "mode" not in runs.columns or bool(runs["mode"].isna().all()):
        return runs, notes
    other = runs["mode"].notna() & (runs["mode"] != CAPACITY_MODE)
    if not other.all():
        return without(runs, other, note("not of the serial mode"), notes)
    remark = note("no run is of the serial mode: this is the capacity of the other, a lower one")
    return runs, (*notes, remark)


def _duplicates(runs: pd.DataFrame) -> pd.Series:
    """Whether each row is the same as an earlier one; few are alike in what is looked at first."""
    first = [name for name in ("forwarded_mpps", "run_id", "started_at") if name in runs.columns]
    found = runs.duplicated(first, keep=False)
    if found.any():
        found[found] = runs[found].duplicated().to_numpy()
    return found


def _shares(values: pd.Series) -> Array:
    """Busy shares; nan where more than all of the time was busy, as percent would have it."""
    shares = values.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.where(shares <= BUSY_MAX, shares, np.nan)


def _load_columns(runs: pd.DataFrame) -> list[str]:
    if "run_id" in runs.columns and bool(runs["run_id"].notna().all()):
        # Campaigns number their runs alike; when each began tells them apart.
        return [name for name in ("campaign", "run_id", "started_at") if name in runs.columns]
    names = ["campaign", "source", "repetition", "datapath", "program", "queues"]
    return [*names, "memory_accesses"]


def _one_socket(runs: pd.DataFrame) -> Array:
    if "sockets" not in runs.columns:
        return np.full(len(runs), np.nan)
    known = runs["sockets"].map({"queue_0": 1.0, "per_queue": 0.0}, na_action="ignore")
    return np.asarray(known.to_numpy(dtype=np.float64, na_value=np.nan), dtype=np.float64)


def _codes(runs: pd.DataFrame, columns: list[str]) -> Codes:
    codes = runs.groupby(columns, dropna=False, sort=True).ngroup()
    return np.asarray(codes.to_numpy(), dtype=np.intp)


def _kept_notes(runs: pd.DataFrame) -> tuple[str, ...]:
    unstable = int(runs["unstable"].fillna(False).astype(bool).sum())
    percent = int((runs["cpu_busy_ratio"] > BUSY_MAX).sum())
    reasons = (
        (unstable, note("marked unstable, and kept")),
        (percent, note("of a cpu_busy_ratio above 1, which is not a share: it is not used")),
    )
    return tuple(
        note("{n} of {all} rows {what}", n=count, all=len(runs), what=what)
        for count, what in reasons if count
    )  # fmt: skip


def refuse_mixed_boxes(runs: pd.DataFrame) -> None:
    """Refuse a table of several machines; boxes of a lab that are alike are one.

    Raises
    ------
    BadInputError
        Runs of two boxes that are not known to be alike, or of one whose checked metadata changed.
    """
    hashed = "box_hash" in runs.columns
    if hashed and runs["box_hash"].notna().all() and runs["box_hash"].nunique() <= 1:
        return
    boxes = runs[["box", "box_hash"] if hashed else ["box"]].drop_duplicates()
    if len(boxes) > 1:
        raise bad_input(
            "box", ", ".join("/".join(map(str, row)) for row in boxes.to_numpy()),
            why=note("runs of different machines are not pooled"), allowed=note("one box per fit"),
            do=note("fit one model per box, or one with the others as its prior: fit --on BOX"),
        )  # fmt: skip
