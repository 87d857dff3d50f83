"""What is searched, and the loads that a search led to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.measure.datapaths.registry import settings_of_columns
from linerate.models.runs.selection import believable
from linerate.reports.drawing.axes import ticks
from linerate.reports.drawing.marks import bars, line
from linerate.reports.drawing.panels import Panels, panels_for
from linerate.reports.figures.load.panels_by_load import arrival_marker
from linerate.reports.language import Words
from linerate.reports.language.conditions import conditions
from linerate.reports.language.factors import LOAD, factored, varying
from linerate.reports.language.names import path_name
from linerate.reports.section import Section
from linerate.reports.tables.spreads import rows_where
from linerate.tables.columns import OF_EVERY_DATAPATH

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NOT_SEARCHED = ("offered_mpps", "generator", "pings_per_second")
OWN_LOAD = ("arrivals", "burst_packets")
"""What a curve varies within a cell."""


def cell_names() -> tuple[str, ...]:
    """Name the factors of what is searched; the rate is what the search varies."""
    own = (*LOAD, *OF_EVERY_DATAPATH, *settings_of_columns())
    names = ("datapath", "program", "memory_accesses", *own)
    return tuple(name for name in dict.fromkeys(names) if name not in NOT_SEARCHED)


def point_names() -> tuple[str, ...]:
    """Name the factors of one load that a search led to."""
    return (*cell_names(), "load_percent")


def points_of(section: Section, base: str, *, rfc2544: bool) -> pd.DataFrame:
    """Take the loads that a search led to, in percent of the highest ``base`` over its goals."""
    rows, _ = believable(section.rows("searches"))
    found = section.searches
    if found is None or rows.empty or "run_id" not in rows.columns:
        return rows.head(0)
    of_rfc2544 = (found["preset"] == "rfc2544").fillna(False).astype(bool)
    highest = found[of_rfc2544 == rfc2544].groupby("search_id")[base].max()
    rows = factored(rows, [*cell_names(), "offered_mpps"])
    # A point is named after its search: s0001-r1-poisson-0.500000.
    search_ids = rows["run_id"].astype(str).str.rsplit("-", n=2).str[0]
    rows = rows.assign(
        load_percent=(100.0 * rows["offered_mpps"] / search_ids.map(highest)).round(1)
    )
    return rows_where(rows, np.isfinite(rows["load_percent"]))


def panels_by_cell(
    table: pd.DataFrame, words: Words, ax: Axes | None = None
) -> tuple[Panels, Iterator[tuple[Axes, pd.DataFrame]]]:
    """One panel for each cell that was searched."""
    factors = [name for name in cell_names() if name not in OWN_LOAD]
    cells = conditions(table, varying(table, factors), words)
    grid = panels_for(len(cells), ax)
    names = []
    for axes, (name, rows) in zip(grid.axes.flat, cells, strict=False):
        first = rows.iloc[0]
        names.append(name or path_name(first["datapath"], first["program"]))
        axes.xaxis.set_major_formatter(ticks(words))
    grid.titles(names)
    return grid, zip(grid.axes.flat, (rows for _, rows in cells), strict=False)


def draw_curves(axes: Axes, rows: pd.DataFrame, y: str, colour: str) -> None:
    """Join the loads of each arrival process."""
    for _, own in rows.groupby(list(OWN_LOAD), dropna=False):
        line(axes, own, "load_percent", y, color=colour, linewidth=0.6)
        bars(axes, own, "load_percent", y, color=colour,
             marker=arrival_marker(own["arrivals"].iloc[0]))  # fmt: skip
