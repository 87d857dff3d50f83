"""Which runs of a table a capacity model may learn from."""

from __future__ import annotations

import json
from typing import TypeAlias

import pandas as pd

from linerate.errors import bad_input
from linerate.line_rate import exceeds
from linerate.messages import Note, note
from linerate.tables.cell_columns import ACCESS_KINDS, cell_codes
from linerate.tables.costs import cost_of
from linerate.tables.rates import is_estimated, with_own_cores
from linerate.tables.settings_columns import settings_columns
from linerate.units import line_rate_mpps

FILTER = "drop_"
"""What the names of filters begin with."""
Selection: TypeAlias = "tuple[pd.DataFrame, tuple[str, ...]]"
"""Runs that are kept, and what was left out, one sentence each."""
OFFERED_TOLERANCE = 1.05
"""Over the offered rate that a generator may make up for after a pause."""
IMPOSSIBLE_SHARE_MAX = 0.05
"""Share of impossible rows beyond which the table as a whole is in doubt."""


def believable(runs: pd.DataFrame) -> Selection:
    """Leave out invalid runs, and suspect ones of cells that have valid ones; say how many.

    Rates are those with the device's cores to itself, where these are known.
    """
    kept, notes = _undisturbed(runs)
    if not (changed := is_estimated(kept)).any():
        return kept, notes
    remark = note("{n} rates are those with the device's cores to itself (unshared_mpps): others "
                  "used these at {percent:.0f} % of looks", n=int(changed.sum()),
                  percent=100.0 * float(kept["shared_core_ratio"][changed].mean()))  # fmt: skip
    return with_own_cores(kept), (*notes, remark)


def _undisturbed(runs: pd.DataFrame) -> Selection:
    if "verdict" not in runs.columns:
        return runs, ()
    kept, notes = without(runs, runs["verdict"] == "invalid", note("judged invalid"), ())
    suspect = (kept["verdict"] == "suspect").fillna(False)
    if not suspect.any():
        return kept, notes
    valid = (kept["verdict"] == "valid").groupby(cell_codes(kept))
    disturbed = suspect & valid.transform("any")
    return without(kept, disturbed, note("suspect, and their cell has valid ones"), notes)


def possible(runs: pd.DataFrame, notes: tuple[str, ...]) -> Selection:
    """Leave out runs that forwarded more than can be; a table of many such is refused.

    Imported tables may come without verdicts, and a rate in another unit, a frame size without
    its FCS or another link looks like any number.

    Raises
    ------
    BadInputError
        So many that it is not a slip of a row.
    """
    line_mpps = line_rate_mpps(runs["link_gbps"], runs["frame_bytes"])
    too_many = (runs["forwarded_mpps"] > OFFERED_TOLERANCE * runs["offered_mpps"]) | exceeds(
        runs["forwarded_mpps"], line_mpps
    )
    if too_many.mean() > IMPOSSIBLE_SHARE_MAX:
        raise bad_input(
            "forwarded_mpps", f"{runs['forwarded_mpps'][too_many].iloc[0]:g}",
            why=note("{n} of {all} rows forwarded more than line rate or than was offered, which "
                     "cannot be", n=int(too_many.sum()), all=len(runs)),
            allowed=note("Mpps, up to what link_gbps carries of frame_bytes (with FCS)"),
            do=note("correct units, frame sizes or link; linerate lint names each row"),
        )  # fmt: skip
    return without(runs, too_many, note("they forwarded more than line rate or than was offered, "
                                        "which cannot be"), notes)  # fmt: skip


def alike(runs: pd.DataFrame, notes: tuple[str, ...]) -> Selection:
    """Keep, of each program on its datapath, the settings that most of its runs have.

    A capacity model knows the factors of a cell and not the settings of its datapath: runs that
    differ only in these would pass for noise. Programs whose packets differ by what they execute
    are left out whole: ``mixes`` are fitted on these.
    """
    runs, notes = without(
        runs, is_mixed(runs), note("their operations are not a factor of capacity"), notes
    )
    settings = [name for name in settings_columns(runs) if name != "operations"]
    if not settings or runs.empty:
        return runs, notes
    codes = runs.groupby(settings, dropna=False, sort=False).ngroup()
    usual = codes.groupby([runs["datapath"], runs["program"]]).transform(
        lambda of_program: of_program.value_counts(sort=True).index[0]
    )
    why = note("settings other than most runs of their program")
    return without(runs, codes != usual, why, notes)


def without(runs: pd.DataFrame, bad: pd.Series, why: Note, notes: tuple[str, ...]) -> Selection:
    """Leave out the rows that are bad, and say how many and why; what is not known is kept."""
    bad = bad.eq(True).fillna(False).astype(bool)
    count = int(bad.sum())
    if not count:
        return runs, notes
    remark = note("{n} of {all} rows left out: {why}", n=count, all=len(runs), why=why)
    return runs[~bad], (*notes, remark)


def is_mixed(runs: pd.DataFrame) -> pd.Series:
    """Whether each row's packets differ by steps that ``memory_accesses`` does not count.

    Operations of other kinds, filters, pipelines and chains, whose length is their number of
    steps; of a program that executes such operations, all rows.
    """
    counted = pd.Series(data=False, index=runs.index)
    if "operations" in runs.columns:
        # Few texts of many rows: each is read once.
        known = {text: _counts_others(text) for text in runs["operations"].dropna().unique()}
        others = runs["operations"].map(known).eq(True)
        counted = others.groupby([runs["datapath"], runs["program"]]).transform("any")
    filters = runs["program"].str.startswith(FILTER).eq(True)
    return counted | filters | (cost_of(runs) != "accesses")


def _counts_others(operations: str) -> bool:
    try:
        kinds = json.loads(operations)
    except ValueError:
        return False
    return isinstance(kinds, dict) and bool(set(kinds) - set(ACCESS_KINDS.values()))
