"""Latency over the share of the load that is carried: colours by quantile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from linerate.reports.drawing.axes import log_axis
from linerate.reports.drawing.keys import key_entry
from linerate.reports.drawing.panels import Panels
from linerate.reports.drawing.style import styled
from linerate.reports.figures.captions import of_measured
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import LATENCY
from linerate.reports.figures.load.panels_by_load import STATISTIC_NAMES, TAIL, arrivals_key
from linerate.reports.figures.searches.cells import (
    draw_curves,
    panels_by_cell,
    point_names,
    points_of,
)
from linerate.reports.language import Words, message
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.spreads import spreads_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATISTICS = {"p50": "latency_p50_us", "p99": "latency_p99_us"}
NO_CURVE = LeftOut(why=message("no load-latency curve was taken"))


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Latency over load in percent of the highest rate that its own search found carried.

    The load itself, ``offered_mpps``, differs between repetitions as their searches do.
    """
    rows = points_of(section, "lower_mpps", rfc2544=False)
    if rows.empty:
        return NO_CURVE
    parts = [
        spreads_of(rows.assign(latency_us=rows[column].astype("float64")), point_names(),
                   ["latency_us", "offered_mpps"]).assign(statistic=name)
        for name, column in STATISTICS.items() if column in rows.columns
    ]  # fmt: skip
    table = pd.concat(parts, ignore_index=True) if parts else rows.head(0)
    table = table[table["latency_us"] > 0.0] if len(table) else table
    return table.assign(series="measured") if len(table) else NO_CURVE


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw latency over the share of the load."""
    grid, found = panels_by_cell(table, words, ax)
    for axes, rows in found:
        for index, statistic in enumerate(STATISTICS):
            draw_curves(axes, rows[rows["statistic"] == statistic], "latency_us", TAIL[2 * index])
        log_axis(axes, "y", words)
    there = set(table["statistic"])
    key = [
        key_entry(words(STATISTIC_NAMES[statistic]), color=TAIL[2 * index])
        for index, statistic in enumerate(STATISTICS) if statistic in there
    ]  # fmt: skip
    grid.label(words("Load (% of the highest that was carried)"), words(LATENCY))
    grid.key([*key, *arrivals_key(table, words)])
    return grid


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what 100 % and the marks are."""
    yield words("One-way latency per packet; 100 % is the highest lower bound of the same search.")
    if (of_measured(table)["runs"] > 1).any():
        yield words("Marks: median over the searches of each one's statistic, bars from the "
                    "smallest to the largest.")  # fmt: skip
    else:
        yield words("Marks: the statistics of single searches.")


FIGURE = FigureKind(
    name="load-latency", title=message("Latency against the share of the carried load"),
    studies=("searches",), table=table, draw=draw, caption=caption, place=20,
)  # fmt: skip
