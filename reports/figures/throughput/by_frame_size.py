"""Throughput over frame size: panels by path and queues, colours by accesses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.reports.drawing.axes import log_axis, sizes_axis
from linerate.reports.drawing.colours import amounts
from linerate.reports.drawing.marks import line, of
from linerate.reports.drawing.panels import Panels
from linerate.reports.drawing.paths import by_path_and_queues
from linerate.reports.drawing.style import LINE_RATE, styled
from linerate.reports.figures.captions import of_panels
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import FRAME_SIZE, LINE_RATE_NAME, THROUGHPUT
from linerate.reports.figures.throughput.lines import (
    ACCESS_COUNTS_MAX,
    CELL,
    left_out,
    line_rates,
    measured_and_model,
    of_line,
    ordered_key,
    series_key,
)
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import accesses_text
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.cells import PAIR, model_rates, saturated_cells, varied
from linerate.reports.tables.grids import LINE_POINTS, crossed, few
from linerate.reports.tables.spreads import stacked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NOT_VARIED = LeftOut(why=message("frame size was not varied at line-rate load"))


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Measured, modelled and line rates over frame size, for a few access counts."""
    cells = varied(saturated_cells(section.training), "frame_bytes")
    if cells.empty:
        return left_out(section, NOT_VARIED)
    counts = few(cells["memory_accesses"], ACCESS_COUNTS_MAX)
    cells = cells[cells["memory_accesses"].isin(counts)]
    groups = cells[[*PAIR, "queues", "memory_accesses", "link_gbps"]].drop_duplicates()
    sizes = np.geomspace(cells["frame_bytes"].min(), cells["frame_bytes"].max(), LINE_POINTS)
    panels = groups[["queues", *PAIR, "link_gbps"]].drop_duplicates()
    return stacked(
        measured=cells[CELL],
        model=of_line(model_rates(section, crossed(groups, "frame_bytes", sizes))),
        line_rate=line_rates(crossed(panels, "frame_bytes", sizes)),
    )


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw throughput over frame size."""
    counts = sorted(table["memory_accesses"].dropna().unique())
    grid, found = by_path_and_queues(table, words, ax)
    palette = amounts(len(counts))
    for axes, rows in found:
        line(axes, of(rows, "line_rate"), "frame_bytes", "mpps", **LINE_RATE)
        for index, count in enumerate(counts):
            measured_and_model(axes, rows[rows["memory_accesses"] == count], "frame_bytes", index,
                               palette)  # fmt: skip
    log_axis(grid.shared, "y", words)
    sizes_axis(grid.shared, list(of(table, "measured")["frame_bytes"].unique()), words)
    grid.label(words(FRAME_SIZE), words(THROUGHPUT))
    names = [accesses_text(count, words) for count in counts]
    grid.key(ordered_key(names) + series_key(table, words, words(LINE_RATE_NAME)))
    return grid


FIGURE = FigureKind(
    name="throughput-by-frame-size", title=message("Throughput against frame size"),
    studies=("capacity",), table=table, draw=draw, caption=of_panels, place=30,
)  # fmt: skip
