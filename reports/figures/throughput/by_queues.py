"""Throughput over queues: panels by accesses, colours by path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.reports.drawing.axes import log_axis, queues_axis
from linerate.reports.drawing.keys import key_entry, key_mark
from linerate.reports.drawing.marks import line, of
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.paths import of_path, path_rows
from linerate.reports.drawing.style import COLOURS, IDEAL, LINE_RATE, styled
from linerate.reports.figures.captions import marks_of
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import LINE_RATE_NAME, THROUGHPUT
from linerate.reports.figures.throughput.lines import (
    ACCESS_COUNTS_MAX,
    CELL,
    left_out,
    line_rates,
    measured_and_model,
    of_line,
    series_key,
)
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import accesses_text
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.cells import PAIR, inside, model_rates, saturated_cells, varied
from linerate.reports.tables.grids import crossed, few
from linerate.reports.tables.spreads import stacked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NOT_VARIED = LeftOut(why=message("queues were not varied at line-rate load"))


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Measured and modelled rates over queues at the smallest frame, beside ideal scaling."""
    cells = varied(saturated_cells(section.training), "queues")
    if cells.empty:
        return left_out(section, NOT_VARIED)
    cells = cells[cells["frame_bytes"] == cells["frame_bytes"].min()]
    counts = few(cells["memory_accesses"], ACCESS_COUNTS_MAX)
    cells = cells[cells["memory_accesses"].isin(counts)]
    groups = cells[[*PAIR, "memory_accesses", "frame_bytes", "link_gbps"]].drop_duplicates()
    queues = np.arange(cells["queues"].min(), cells["queues"].max() + 1)
    lines = inside(crossed(groups, "queues", queues), cells, "queues")
    ends = groups[["memory_accesses", "frame_bytes", "link_gbps"]].drop_duplicates()
    return stacked(
        measured=cells[CELL],
        model=of_line(model_rates(section, lines)),
        ideal=_ideal(cells),
        line_rate=line_rates(crossed(ends, "queues", queues[[0, -1]])),
    )


def _ideal(cells: pd.DataFrame) -> pd.DataFrame:
    """From the fewest queues measured, as many times the rate as there are queues."""
    ordered = cells.sort_values("queues")
    first = ordered.groupby([*PAIR, "memory_accesses", "frame_bytes"]).first().reset_index()
    most = cells["queues"].max()
    last = first.assign(queues=most, mpps=first["mpps"] * most / first["queues"])
    return of_line(pd.concat([first, last], ignore_index=True))


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw throughput over queues."""
    counts = sorted(table["memory_accesses"].unique())
    names = path_rows(table[table["series"] == "measured"])
    grid = panels(Layout(rows=1, columns=len(counts)), ax)
    for axes, count in zip(grid.axes[0], counts, strict=True):
        rows = table[table["memory_accesses"] == count]
        axes.set_title(accesses_text(count, words))
        line(axes, of(rows, "line_rate"), "queues", "mpps", **LINE_RATE)
        for index, path in enumerate(names):
            own = of_path(rows, path)
            line(axes, of(own, "ideal"), "queues", "mpps", **IDEAL)
            measured_and_model(axes, own, "queues", index, COLOURS)
        log_axis(axes, "y", words)
        queues_axis(axes, list(of(table, "measured")["queues"].unique()), words)
    grid.label(words("Queues, one core each"), words(THROUGHPUT))
    key = [key_mark(name, index) for index, name in enumerate(names.values())]
    key += series_key(table, words, words(LINE_RATE_NAME))
    grid.key([*key, key_entry(words("ideal: linear"), **IDEAL)])
    return grid


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what marks and lines are."""
    there = set(table["series"])
    yield words("Smallest frame.")
    yield from marks_of(table, words)
    if "model" in there:
        yield words("Coloured lines: the fitted model.")
    yield words("Grey: as many times the rate of the fewest queues.")
    if "line_rate" in there:
        yield words("Dashed: line rate.")


FIGURE = FigureKind(
    name="queue-scaling", title=message("Throughput against queues"),
    studies=("capacity",), table=table, draw=draw, caption=caption, place=40,
)  # fmt: skip
