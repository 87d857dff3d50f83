"""Medians with their ends over the runs of a cell, and rows picked and stacked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from pandas.core.groupby.generic import SeriesGroupBy


def rows_where(rows: pd.DataFrame, kept: ArrayLike) -> pd.DataFrame:
    """Keep the rows that a mask of the same length names; a missing answer keeps none."""
    mask = np.asarray(kept, dtype=np.bool_)
    return rows if mask.all() else rows.take(np.flatnonzero(mask))


def spread_of(groups: SeriesGroupBy[Any, Any], name: str) -> pd.DataFrame:
    """Median, ends and number of the runs of each group: ``name, min_*, max_*, runs``."""
    found = groups.agg(["median", "min", "max", "size"]).reset_index()
    return found.rename(
        columns={"median": name, "min": f"min_{name}", "max": f"max_{name}", "size": "runs"}
    )


def spreads_of(rows: pd.DataFrame, keys: Sequence[str], names: Sequence[str]) -> pd.DataFrame:
    """Median and ends of several columns over the runs of each group, and their number.

    Returns
    -------
    The keys, then of each column ``name, min_*, max_*`` (nan where no run has it), and ``runs``.
    """
    groups = rows.groupby(list(keys), dropna=False, sort=True)
    parts = [
        groups[name]
        .agg(["median", "min", "max"])
        .rename(columns={"median": name, "min": f"min_{name}", "max": f"max_{name}"})
        for name in names
    ]
    table: pd.DataFrame = pd.concat([*parts, groups.size().rename("runs")], axis=1)
    return table.reset_index()


def number_of(rows: pd.DataFrame, name: str) -> pd.Series:
    """Take a column as numbers; nan where the table lacks it."""
    if name not in rows.columns:
        return pd.Series(float("nan"), index=rows.index)
    return rows[name].astype("float64")


def counted_paths(runs: pd.DataFrame, row: ArrayLike, cell: ArrayLike) -> pd.DataFrame:
    """Count cells and runs of each path: ``datapath, program, cells, runs``.

    Parameters
    ----------
    runs
        A table of runs.
    row
        Places of some of its rows, shape (n,).
    cell
        Code of the cell of each of these, shape (n,).
    """
    own = runs[["datapath", "program"]].iloc[np.asarray(row)].assign(cell=np.asarray(cell))
    found = own.groupby(["datapath", "program"], sort=False)["cell"].agg(["nunique", "size"])
    return found.rename(columns={"nunique": "cells", "size": "runs"}).reset_index()


def stacked(**series: pd.DataFrame) -> pd.DataFrame:
    """One table of several series, each named in the column ``series``."""
    parts = [table.assign(series=name) for name, table in series.items() if not table.empty]
    joined = pd.concat(parts, ignore_index=True)
    return joined[["series", *(name for name in joined.columns if name != "series")]]
