"""The runs that stand behind what a table draws: a caption says where, how and when they ran."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from linerate.measure.datapaths.registry import settings_of_columns
from linerate.models.runs.cells import Codes
from linerate.models.runs.selection import believable
from linerate.models.runs.training import CAPACITY_MODE
from linerate.reports.language.factors import LOAD, factored
from linerate.reports.section import Section
from linerate.reports.section.rows import Study
from linerate.reports.tables.spreads import rows_where
from linerate.tables.columns import OF_EVERY_DATAPATH

SAID = ("campaign", "run_id", "started_at", "datapath", "lab", "mode", "pipeline_port", "link_gbps",
        "frame_bytes")  # fmt: skip
"""Columns of them that captions refer to: to copy all of many runs takes long."""


def runs_behind(table: pd.DataFrame, section: Section, studies: Sequence[Study]) -> pd.DataFrame:
    """Take the believed runs that agree with what was measured of a table in all its factors.

    Parameters
    ----------
    table
        What a figure draws; only its rows of the series ``measured`` are looked at. A table without
        a mode is one of capacity, whose runs are those of the serial mode where there are any.
    section
        Where the runs are.
    studies
        Of the figure.

    Returns
    -------
    Rows of the table of runs, of its columns ``SAID``; or of that of searches where the figure
    draws searches.
    """
    measured = table[table["series"] == "measured"] if "series" in table.columns else table
    if "search_id" in measured.columns and section.searches is not None:
        found = section.searches
        return found[found["search_id"].isin(set(measured["search_id"]))]
    if "cells" in measured.columns:  # rows of whole paths: factors are those of other series
        measured = measured.dropna(axis="columns", how="all")
    rows, kind, kinds = section.once(("behind", *studies), lambda: _kinds(section, studies))
    names = [name for name in kinds.columns if name in measured.columns]
    wanted = factored(measured, names)[names].drop_duplicates().assign(drawn=True)
    drawn = kinds[names].merge(wanted, on=names, how="left")["drawn"]
    rows = rows_where(rows, drawn.notna().to_numpy()[kind])
    return rows if "mode" in measured.columns else _of_capacity(rows)


def _kinds(section: Section, studies: Sequence[Study]) -> tuple[pd.DataFrame, Codes, pd.DataFrame]:
    """Take the believed runs of some studies, and what kinds of them their factors tell apart.

    Returns
    -------
    The runs; of each its kind, shape (n,); of each kind its factors.
    """
    rows = section.rows_of(studies)
    rows, _ = believable(rows_where(rows, ~rows.index.duplicated()))
    names = [name for name in every_factor() if name in rows.columns]
    plain = factored(rows, names)[names]
    numbers = plain.groupby(names, dropna=False, sort=False).ngroup()
    kind: Codes = np.asarray(numbers, dtype=np.intp)
    _, first = np.unique(kind, return_index=True)
    return rows[[name for name in SAID if name in rows.columns]], kind, plain.iloc[first]


def every_factor() -> tuple[str, ...]:
    """Every factor that a table of runs may have."""
    names = ("datapath", "program", "memory_accesses", "lcores", *LOAD, *OF_EVERY_DATAPATH)
    return tuple(dict.fromkeys((*names, *settings_of_columns())))


def _of_capacity(rows: pd.DataFrame) -> pd.DataFrame:
    if "mode" not in rows.columns:
        return rows
    serial = (rows["mode"] == CAPACITY_MODE).fillna(False).astype(bool)
    return rows_where(rows, serial) if serial.any() else rows
