"""Rows of pipelines, and which of them differ in one factor alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from linerate.models.operations.work import operations_in
from linerate.models.runs.selection import believable
from linerate.models.runs.training import CAPACITY_MODE
from linerate.reports.figures.operations.packet_times import MIXED
from linerate.reports.language import message
from linerate.reports.language.factors import LOAD, PIPELINE, factored
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.spreads import rows_where

FACTORS = ("program", "lcores", *LOAD, *PIPELINE)
CELL = (*FACTORS, "operations")
NO_PIPELINE = LeftOut(why=message("no run of a pipeline can be believed"))


def pipeline_rows(section: Section) -> pd.DataFrame:
    """Believed runs of pipelines in any mode, with ``mpps``."""
    rows, _ = believable(section.rows("pipelines"))
    return factored(rows, CELL).assign(mpps=rows["forwarded_mpps"].astype("float64"))


def serial_rows(section: Section) -> pd.DataFrame:
    """Believed runs of the serial mode that forwarded something."""
    return serial(pipeline_rows(section))


def serial(rows: pd.DataFrame) -> pd.DataFrame:
    """Those of the serial mode that forwarded something."""
    return rows_where(rows, (rows["mode"] == CAPACITY_MODE) & (rows["mpps"] > 0.0))


def with_kinds(rows: pd.DataFrame) -> pd.DataFrame:
    """Add what grows in each pipeline, ``kind``, and how often it is there, ``times``."""
    named = [kind_and_times(text) for text in rows["operations"]]
    return rows.assign(kind=[kind for kind, _ in named], times=[times for _, times in named])


def kind_and_times(text: str) -> tuple[str, float]:
    """Name of what grows in a pipeline, and how often it is there: equal counts grow together.

    >>> kind_and_times('{"a": 10, "b": 10}'), kind_and_times('{"a": 10, "b": 5}')
    (('a + b', 10.0), ('mixed', 0.0))
    >>> kind_and_times("{}")
    ('', 0.0)
    """
    operations = operations_in(text)
    if operations is None or len({times for _, times in operations}) > 1:
        return MIXED, 0.0
    if not operations:
        return "", 0.0
    return " + ".join(kind for kind, _ in operations), float(operations[0][1])


def varied_alone(rows: pd.DataFrame, others: Sequence[str], name: str) -> pd.DataFrame:
    """Rows of which a factor has several values where all others are the same."""
    if rows.empty:
        return rows
    counts = rows.groupby(list(others), dropna=False)[name].transform("nunique")
    return rows_where(rows, counts >= 2)


def without(name: str) -> list[str]:
    """Every factor but one."""
    return [factor for factor in FACTORS if factor != name]


def of_most(rows: pd.DataFrame, name: str, keep: Sequence[str] = ()) -> pd.DataFrame:
    """Rows of the place, of each program, at which most values of a factor were measured."""
    if rows.empty:
        return rows
    place = [factor for factor in FACTORS if factor not in keep]
    found = rows.assign(
        place=rows.groupby(place, dropna=False, sort=True).ngroup(),
        values=rows.groupby(place, dropna=False)[name].transform("nunique"),
    )
    best = found.sort_values(["values", "place"], ascending=[False, True]).groupby("program")
    kept = best["place"].transform("first").reindex(found.index)
    return rows_where(rows, np.asarray(found["place"] == kept))
