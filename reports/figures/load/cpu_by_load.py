"""CPU use over offered load: marks by arrivals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from linerate.reports.drawing.axes import ticks
from linerate.reports.drawing.colours import path_colours
from linerate.reports.drawing.keys import key_entry
from linerate.reports.drawing.marks import bars, line, of
from linerate.reports.drawing.panels import Panels
from linerate.reports.drawing.style import INK, styled
from linerate.reports.figures.captions import marks_of
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import MODEL
from linerate.reports.figures.load.panels_by_load import (
    CPU,
    NOT_VARIED,
    OFFERED,
    arrival_marker,
    arrivals_key,
    by_load,
    percent,
)
from linerate.reports.figures.load.split_runs import (
    load_grid,
    several_loads,
    split_rows,
    summarised,
)
from linerate.reports.language import Words, message
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.spreads import stacked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NO_CPU = LeftOut(why=message("the table has no CPU use under a named load"))


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Busy share of the queues' cores over offered load, measured and by the model."""
    rows = split_rows(section.rows("capacity"))
    rows = rows[rows["cpu_busy_ratio"].notna()]
    if rows.empty:
        return NO_CPU
    rows = several_loads(rows)
    if rows.empty:
        return LeftOut(why=NOT_VARIED)
    grid = load_grid(section, rows)
    if section.latency is not None and not grid.empty:
        grid = grid.assign(cpu_busy_ratio=section.latency.predict(grid).cpu_busy_ratio)
    else:
        grid = grid.head(0)
    return stacked(measured=summarised(rows, "cpu_busy_ratio", "cpu_busy_ratio"), model=grid)


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw CPU use over offered load."""
    grid, found = by_load(table, words, ax)
    shown = percent(table, "cpu_busy_ratio")
    for axes, rows in found:
        own = shown.loc[rows.index]
        for arrivals in own["arrivals"].dropna().unique():
            bars(axes, of(own, "measured", arrivals=arrivals), "offered_mpps", "cpu_busy_ratio",
                 color=path_colours([own["datapath"].iloc[0]])[0],
                 marker=arrival_marker(arrivals))  # fmt: skip
        line(axes, of(own, "model"), "offered_mpps", "cpu_busy_ratio", color=INK)
        axes.set_ylim(0.0, 105.0)
        axes.xaxis.set_major_formatter(ticks(words))
    key = arrivals_key(table, words)
    if (table["series"] == "model").any():
        key.append(key_entry(words(MODEL)))
    grid.label(words(OFFERED), words(CPU))
    grid.key(key)
    return grid


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what marks and line are."""
    yield from marks_of(table, words)
    if "model" in set(table["series"]):
        yield words("Line: the fitted share of time in which cores serve packets or wake up.")


FIGURE = FigureKind(
    name="cpu-by-load", title=message("CPU use against offered load"),
    studies=("capacity",), table=table, draw=draw, caption=caption, place=80,
)  # fmt: skip
