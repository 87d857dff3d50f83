"""Latency over offered load: colours by statistic, marks by arrivals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from linerate.reports.drawing.axes import log_axis, ticks
from linerate.reports.drawing.marks import bars, line, of
from linerate.reports.drawing.panels import Panels
from linerate.reports.drawing.style import INK, LINE_RATE, styled
from linerate.reports.figures.captions import marks_of_statistics
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import LATENCY
from linerate.reports.figures.load.panels_by_load import (
    NOT_VARIED,
    OFFERED,
    TAIL,
    arrival_marker,
    by_load,
    latency_key,
)
from linerate.reports.figures.load.split_runs import (
    GROUP,
    STATISTICS,
    latencies,
    load_grid,
    several_loads,
    split_rows,
)
from linerate.reports.language import Words, message
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.spreads import rows_where

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Quantiles and mean of each measured load, the queueing model's mean, and the capacity."""
    rows = split_rows(section.rows("capacity"))
    rows = rows_where(rows, rows["latency_mean_us"].astype("float64") > 0.0)
    if rows.empty:
        return LeftOut(why=message("the table has no latency under a named load"))
    rows = several_loads(rows)
    if rows.empty:
        return LeftOut(why=NOT_VARIED)
    measured = [part.assign(series="measured") for part in latencies(rows)]
    return pd.concat([*measured, *_modelled(section, rows)], ignore_index=True)


def _modelled(section: Section, rows: pd.DataFrame) -> list[pd.DataFrame]:
    grid = load_grid(section, rows)
    if section.latency is None or grid.empty:
        return []
    predicted = section.latency.predict(grid)
    mean = grid.assign(latency_us=predicted.mean_us, statistic="mean", series="model")
    capacity = grid.assign(offered_mpps=predicted.capacity_mpps, series="capacity")
    return [mean, capacity.groupby(GROUP).first().reset_index()]


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw latency over offered load."""
    grid, found = by_load(table, words, ax)
    for axes, rows in found:
        for index, statistic in enumerate(STATISTICS):
            for arrivals in rows["arrivals"].dropna().unique():
                own = of(rows, "measured", statistic=statistic, arrivals=arrivals)
                bars(axes, own, "offered_mpps", "latency_us", color=TAIL[index],
                     marker=arrival_marker(arrivals))  # fmt: skip
        line(axes, of(rows, "model"), "offered_mpps", "latency_us", color=INK)
        for capacity in of(rows, "capacity")["offered_mpps"]:
            axes.axvline(capacity, **LINE_RATE)
        log_axis(axes, "y", words)
        axes.xaxis.set_major_formatter(ticks(words))
    grid.label(words(OFFERED), words(LATENCY))
    grid.key(latency_key(table, words))
    return grid


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what marks and line are."""
    yield words("One-way latency per packet.")
    yield from marks_of_statistics(table, words)
    if "model" in set(table["series"]):
        yield words("Line: mean by the queueing model.")


FIGURE = FigureKind(
    name="latency-by-load", title=message("Latency against offered load"),
    studies=("capacity",), table=table, draw=draw, caption=caption, place=60,
)  # fmt: skip
