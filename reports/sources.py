"""The tables that a report is made of, with what lies beside them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from linerate.box import BOX_BYTES_MAX, Box, box_from
from linerate.errors import BadInputError
from linerate.runs import read_runs


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


def read_source(path: Path) -> Source:
    """Read a table, or a campaign's folder, and the box.json beside it.

    Raises
    ------
    BadInputError
        No table of runs.
    """
    runs = read_runs([path])
    beside = (path if path.is_dir() else path.parent) / "box.json"
    try:
        return Source(path=path, runs=runs, box=_box(beside))
    except (BadInputError, OSError, ValueError) as error:
        return Source(path=path, runs=runs, box=None, notes=(f"box.json not used: {error}",))


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
    runs = pd.concat([_with_own_loads(n, source.runs) for n, source in enumerate(sources)],
                     ignore_index=True)  # fmt: skip
    names = ["box", *(["box_hash"] if "box_hash" in runs.columns else [])]
    return [rows for _, rows in runs.groupby(names, dropna=False, sort=False)]


def _with_own_loads(number: int, runs: pd.DataFrame) -> pd.DataFrame:
    """Keep program loads of several tables apart: each campaign counts its run_id from one."""
    if "run_id" not in runs.columns:
        return runs
    named = f"{number}/" + runs["run_id"].astype("string")
    return runs.assign(run_id=named)


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
