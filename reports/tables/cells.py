"""Measured cells and model grids, from which the tables of figures are built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from linerate.models import Training
from linerate.models.runs.cells import FACTORS
from linerate.models.runs.training import AT_CEILING
from linerate.reports.sections import Section

if TYPE_CHECKING:
    from pandas.core.groupby.generic import SeriesGroupBy

PAIR = ["datapath", "program"]
LINE_POINTS = 60
"""Points of a model's line."""
SATURATING = 0.999
"""Share of line rate from which an offered load is no limit of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A figure that cannot be drawn from this table."""

    why: str
    """A message of the catalogue."""


NO_RUNS = LeftOut(why="no run of the table offers line rate and can be used for capacity")


def saturated_cells(training: Training | None) -> pd.DataFrame:
    """Cells to which line rate was offered, with the spread of their runs.

    Returns
    -------
    ``datapath, program``, the factors of a cell, ``line_rate_mpps, runs, mpps`` (median),
    ``min_mpps, max_mpps, sustained``; of the commonest link speed only; empty without training.
    """
    if training is None:
        return pd.DataFrame(columns=[*PAIR, *FACTORS, "link_gbps"])
    cells = training.cells
    pairs = [cells.pairs[code] for code in cells.pair]
    runs = pd.DataFrame({
        "datapath": [pair.datapath for pair in pairs], "program": [pair.program for pair in pairs],
        **{name: getattr(cells, name) for name in FACTORS},
        "line_rate_mpps": cells.line_mpps, "mpps": training.forwarded_mpps,
    })  # fmt: skip
    runs = runs.loc[cells.offered_mpps >= SATURATING * cells.line_mpps]
    if runs.empty:
        return runs
    runs = runs[runs["link_gbps"] == runs["link_gbps"].mode().iloc[0]]
    by_cell = runs.groupby([*PAIR, *FACTORS, "line_rate_mpps"], sort=True)["mpps"]
    found = spread_of(by_cell, "mpps")
    return found.assign(sustained=found["mpps"] >= AT_CEILING * found["line_rate_mpps"])


def rows_where(rows: pd.DataFrame, kept: ArrayLike) -> pd.DataFrame:
    """Keep the rows that a mask of the same length names; a missing answer keeps none."""
    return rows.take(np.flatnonzero(np.asarray(kept, dtype=np.bool_)))


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


def access_grid(accesses: pd.Series, points: int = LINE_POINTS) -> NDArray[np.float64]:
    """Access counts for a model's line: the measured ones and what lies between, ascending."""
    values = np.unique(accesses.to_numpy(dtype=np.float64))
    low = max(1.0, float(values[0]))
    between = np.geomspace(low, max(low, float(values[-1])), points).round()
    return np.unique(np.concatenate([values, between[between <= values[-1]]]))


def crossed(groups: pd.DataFrame, name: str, values: NDArray[np.float64]) -> pd.DataFrame:
    """Each row of ``groups`` once for every value of a further column."""
    return groups.merge(pd.DataFrame({name: values}), how="cross")


def varied(cells: pd.DataFrame, name: str) -> pd.DataFrame:
    """Cells of the paths that have at least two values of a factor."""
    if cells.empty:
        return cells
    return cells[cells.groupby(PAIR)[name].transform("nunique") >= 2]


def inside(lines: pd.DataFrame, cells: pd.DataFrame, name: str) -> pd.DataFrame:
    """Keep the points of a path's lines between its own smallest and largest value."""
    ends = cells.groupby(PAIR)[name].agg(["min", "max"]).reset_index()
    found = lines.merge(ends, on=PAIR)
    return found[found[name].between(found["min"], found["max"])].drop(columns=["min", "max"])


def model_rates(section: Section, cells: pd.DataFrame) -> pd.DataFrame:
    """Add the model's ``mpps`` to cells; no rows where there is no model or no cells."""
    if section.predictor is None or cells.empty:
        return cells.head(0).assign(mpps=pd.Series(dtype=float))
    return cells.assign(mpps=section.predictor.predict(cells).predicted_mpps)


def few(values: pd.Series, most: int) -> list[float]:
    """At most so many distinct values, the ends among them, evenly by rank.

    >>> few(pd.Series([0, 1, 100, 200, 400, 800, 1600]), 4)
    [0.0, 100.0, 400.0, 1600.0]
    """
    distinct = np.unique(values.to_numpy(dtype=np.float64))
    ranks = np.linspace(0, distinct.size - 1, min(most, distinct.size)).round().astype(int)
    return [float(value) for value in distinct[ranks]]


def stacked(**series: pd.DataFrame) -> pd.DataFrame:
    """One table of several series, each named in the column ``series``."""
    parts = [table.assign(series=name) for name, table in series.items() if not table.empty]
    joined = pd.concat(parts, ignore_index=True)
    return joined[["series", *(name for name in joined.columns if name != "series")]]
