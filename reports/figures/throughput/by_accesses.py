"""Throughput over memory accesses: panels by path and queues, colours by frame size."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.reports.drawing.axes import accesses_axis, log_axis
from linerate.reports.drawing.colours import amounts
from linerate.reports.drawing.gigabits import gigabits_axis
from linerate.reports.drawing.marks import line, of
from linerate.reports.drawing.panels import Panels
from linerate.reports.drawing.paths import by_path_and_queues
from linerate.reports.drawing.style import GREY, LINE_RATE, styled
from linerate.reports.figures.captions import of_panels
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import ACCESSES, THROUGHPUT
from linerate.reports.figures.throughput.lines import (
    CELL,
    left_out,
    line_rates,
    measured_and_model,
    of_line,
    ordered_key,
    series_key,
)
from linerate.reports.language import Words, message
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.cells import PAIR, inside, model_rates, saturated_cells, varied
from linerate.reports.tables.grids import access_grid, crossed
from linerate.reports.tables.spreads import stacked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROOM = 1.6
"""Ratio of two line rates between which a name has room."""
NOT_VARIED = LeftOut(why=message("accesses were not varied at line-rate load"))


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Measured, modelled and line rates over accesses, paths whose accesses were varied."""
    cells = varied(saturated_cells(section.training), "memory_accesses")
    if cells.empty:
        return left_out(section, NOT_VARIED)
    groups = cells[[*PAIR, "queues", "frame_bytes", "link_gbps"]].drop_duplicates()
    lines = crossed(groups, "memory_accesses", access_grid(cells["memory_accesses"]))
    ends = cells["memory_accesses"].agg(["min", "max"]).to_numpy(dtype=np.float64)
    return stacked(
        measured=cells[CELL],
        model=of_line(model_rates(section, inside(lines, cells, "memory_accesses"))),
        line_rate=line_rates(crossed(groups, "memory_accesses", ends)),
    )


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw throughput over accesses."""
    sizes = sorted(table["frame_bytes"].unique())
    grid, found = by_path_and_queues(table, words, ax)
    palette = amounts(len(sizes))
    for axes, rows in found:
        named = math.inf
        for index, size in enumerate(sizes):
            named = _line_rate(axes, of(rows, "line_rate", frame_bytes=size), words, named,
                               lowest=size == sizes[-1])  # fmt: skip
            measured_and_model(axes, rows[rows["frame_bytes"] == size], "memory_accesses",
                               index, palette)  # fmt: skip
    log_axis(grid.shared, "y", words)
    accesses_axis(grid.shared, list(of(table, "measured")["memory_accesses"].unique()), words)
    gigabits_axis(list(grid.axes[:, -1]), table["frame_bytes"], words)
    grid.label(words(ACCESSES), words(THROUGHPUT), words)
    names = [words("{n} B", n=words.number(size)) for size in sizes]
    grid.key(ordered_key(names) + series_key(table, words, words("line rate,\nby frame size")))
    return grid


def _line_rate(
    axes: Axes, rows: pd.DataFrame, words: Words, above_mpps: float, *, lowest: bool
) -> float:
    """Draw a line rate, named where the name above it leaves room; return the last one named.

    The lowest has room below it.
    """
    if rows.empty:
        return above_mpps
    line(axes, rows, "memory_accesses", "mpps", **LINE_RATE)
    last = rows.sort_values("memory_accesses").iloc[-1]
    crowded = last["mpps"] * ROOM > above_mpps
    if crowded and not lowest:
        return above_mpps
    axes.annotate(
        words("{n} B", n=words.number(last["frame_bytes"])),
        xy=(1.0, last["mpps"]),
        xycoords=axes.get_yaxis_transform(),
        xytext=(-1, -1 if crowded else 1),
        textcoords="offset points",
        ha="right",
        va="top" if crowded else "bottom",
        fontsize=7,
        color=GREY,
    )
    return float(last["mpps"])


FIGURE = FigureKind(
    name="throughput-by-accesses", title=message("Throughput against memory accesses"),
    studies=("capacity",), table=table, draw=draw, caption=of_panels, place=20,
)  # fmt: skip
