"""Throughput of pipelines over frame size: a panel for each kind, colours by their number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from linerate.reports.drawing.axes import doubling_axis, ticks
from linerate.reports.drawing.colours import amounts
from linerate.reports.drawing.keys import dots_key
from linerate.reports.drawing.marks import joined
from linerate.reports.drawing.panels import Panels, panels_for
from linerate.reports.drawing.style import styled
from linerate.reports.figures.captions import marks_of
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import FRAME_SIZE, THROUGHPUT
from linerate.reports.figures.operations.packet_times import MIXED
from linerate.reports.figures.pipelines.cells import (
    FACTORS,
    of_most,
    serial_rows,
    varied_alone,
    with_kinds,
    without,
)
from linerate.reports.language import Words, message
from linerate.reports.language.operations import short_kind
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.spreads import rows_where, spreads_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NOT_VARIED = LeftOut(why=message("the frame size of no pipeline with operations was varied"))


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Throughput over frame size, of each number of each kind that was measured with several."""
    rows = with_kinds(serial_rows(section))
    rows = rows_where(rows, ~rows["kind"].isin(["", MIXED]))
    sizes = varied_alone(rows, [*without("frame_bytes"), "kind", "times"], "frame_bytes")
    if sizes.empty:
        return NOT_VARIED
    sizes = of_most(sizes, "frame_bytes", keep=("frame_bytes",))
    return spreads_of(sizes, [*FACTORS, "kind", "times"], ["mpps"]).assign(series="measured")


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw throughput over frame size."""
    kinds = sorted(table["kind"].unique())
    grid = panels_for(len(kinds), ax, share_x=False)
    counts = sorted(table["times"].unique())
    grid.titles([short_kind(kind) for kind in kinds])
    palette = amounts(len(counts))
    for axes, kind in zip(grid.axes.flat, kinds, strict=False):
        for index, count in enumerate(counts):
            own = table[(table["kind"] == kind) & (table["times"] == count)]
            joined(axes, own, ("frame_bytes", "mpps"), index, color=palette[index])
        doubling_axis(axes, list(table["frame_bytes"].unique()), words, words.number)
        axes.yaxis.set_major_formatter(ticks(words))
    grid.axes.flat[0].set_ylim(0.0, 1.08 * float(table["max_mpps"].max()))
    grid.label(words(FRAME_SIZE), words(THROUGHPUT))
    names = [words("{n} per packet", n=words.number(count)) for count in counts]
    grid.key(dots_key(names, palette, joined=True))
    return grid


FIGURE = FigureKind(
    name="pipeline-sizes", title=message("Throughput of pipelines against frame size"),
    studies=("pipelines",), table=table, draw=draw, caption=marks_of, place=20,
)  # fmt: skip
