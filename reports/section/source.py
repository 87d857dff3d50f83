"""The tables that a report is made of, with what lies beside them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from linerate.box import BOX_BYTES_MAX, Box, box_from
from linerate.errors import BadInputError
from linerate.messages import note
from linerate.reports.section.searched import read_searches
from linerate.tables.columns import COLUMNS
from linerate.tables.runs import read_runs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Source:
    """One table of runs and its box file."""

    path: Path
    """As the user named it."""
    runs: pd.DataFrame
    """Checked rows."""
    box: Box | None
    """None where no box.json lies beside the table, or an unreadable one."""
    notes: tuple[str, ...] = ()
    """What could not be read."""
    searches: pd.DataFrame | None = None
    """What its searches found; None where there are none."""
    measured_by: str = ""
    """Command that measured it, of the provenance.json beside it; empty where none names one."""


def read_source(path: Path) -> Source:
    """Read a table, or a campaign's folder, and the box.json and searches beside it.

    Raises
    ------
    BadInputError
        No table of runs, nor of searches in the folder.
    """
    folder = path if path.is_dir() else path.parent
    searches, notes = read_searches(folder) if path.is_dir() else (None, ())
    try:
        runs = read_runs([path])
    except BadInputError:
        if searches is None:
            raise
        runs = pd.DataFrame(columns=[column.name for column in COLUMNS])
    try:
        box = _box(folder / "box.json")
    except (BadInputError, OSError, ValueError) as error:
        reason = error.note if isinstance(error, BadInputError) else str(error)
        unread = note("{file} not used: {error}", file="box.json", error=reason)
        box, notes = None, (*notes, unread)
    return Source(path=path, runs=runs, box=box, notes=notes, searches=searches,
                  measured_by=_measured_by(folder / "provenance.json"))  # fmt: skip


def _measured_by(path: Path) -> str:
    """Take the command of a provenance.json; a file of another form names none."""
    try:
        if path.stat().st_size > BOX_BYTES_MAX:
            return ""
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return ""
    argv = found.get("argv") if isinstance(found, dict) else None
    if not isinstance(argv, list) or not all(isinstance(word, str) for word in argv):
        return ""
    return "".join(sign if sign.isprintable() else "?" for sign in shlex.join(argv))


def _box(path: Path) -> Box | None:
    if not path.is_file():
        return None
    if path.stat().st_size > BOX_BYTES_MAX:
        raise ValueError(f"it has {path.stat().st_size} bytes, more than {BOX_BYTES_MAX}")
    return box_from(json.loads(path.read_bytes()), str(path))


def boxes_apart(sources: Sequence[Source]) -> list[pd.DataFrame]:
    """Rows of each machine, in order of appearance: runs of different machines are not pooled.

    Rows that name the same box with another hash of its metadata are of another machine: its
    kernel, say, has changed.
    """
    tables = [with_own_ids(n, source.runs, "run_id") for n, source in enumerate(sources)]
    measured = [table for table in tables if len(table)]
    if not measured:
        return [tables[0]]
    runs = measured[0] if len(measured) == 1 else pd.concat(measured, ignore_index=True)
    names = ["box", *(["box_hash"] if "box_hash" in runs.columns else [])]
    boxes = runs.groupby(names, dropna=False, sort=False)
    return [runs] if boxes.ngroups == 1 else [rows for _, rows in boxes]  # many take long to copy


def searches_of(runs: pd.DataFrame, sources: Sequence[Source]) -> pd.DataFrame | None:
    """Find what was searched on the machine of these rows; all of it where there are no rows."""
    found = [
        with_own_ids(n, source.searches, "search_id")
        for n, source in enumerate(sources) if source.searches is not None
    ]  # fmt: skip
    if not found:
        return None
    searches = pd.concat(found, ignore_index=True)
    for name in ("box", "box_hash") if len(runs) else ():
        if name in runs.columns and bool(runs[name].notna().all()):
            searches = searches[searches[name] == runs[name].iloc[0]]
    return searches if len(searches) else None


def with_own_ids(number: int, table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Keep program loads of several tables apart: each campaign counts its own from one."""
    if name not in table.columns:
        return table
    return table.assign(**{name: f"{number}/" + table[name].astype("string")})


def box_of(runs: pd.DataFrame, sources: Sequence[Source]) -> Box | None:
    """Find the box file that the rows of one machine name, and hold it to their hash."""
    hashes = set(runs["box_hash"].dropna()) if "box_hash" in runs.columns else set()
    for source in sources:
        box = source.box
        if box is None or box.name != runs["box"].iloc[0]:
            continue
        if not hashes or box.checked_hash in hashes:
            return box
    return None
