"""Dropped rates: a panel for each program, a row for each hook, colours by load."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from linerate.reports.drawing.axes import rates_axis
from linerate.reports.drawing.page import page
from linerate.reports.drawing.panels import Panels
from linerate.reports.drawing.style import styled
from linerate.reports.figures.captions import marks_of
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.filters.cells import KEYS, filters_table
from linerate.reports.figures.filters.hooks import ends_of, hooks_of
from linerate.reports.language import Words, message
from linerate.reports.language.names import filter_name
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut

if TYPE_CHECKING:
    from matplotlib.axes import Axes


FEW = 2
"""Panels side by side: their rows have long names."""


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Take the dropped rate of each filter on each hook; hooks ordered by their median."""
    found = filters_table(section)
    if isinstance(found, LeftOut):
        return found
    return found[[*KEYS, "mpps", "min_mpps", "max_mpps", "runs"]].assign(series="measured")


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw dropped rates."""
    named, hooks = hooks_of(table, words)
    count = len(hooks.programs)
    columns = 1 if page().narrow else min(FEW, count)
    grid = hooks.panels(-(-count // columns), columns, ax)
    for axes in grid.axes.flat[count:]:
        axes.set_axis_off()
    for number, (axes, program) in enumerate(zip(grid.axes.flat, hooks.programs, strict=False)):
        axes.set_title(filter_name(program, words))
        hooks.draw(axes, named[named["program"] == program], "mpps")
        rates_axis(axes, ends_of(table, "mpps"), words)
        axes.tick_params(labelbottom=number + columns >= count)
    grid.label(words("Dropped (Mpps)"), "")
    hooks.key(grid, words)
    return grid


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what a rate is, and how the hooks are ordered."""
    yield words("Rate of packets that the filter itself counted as dropped.")
    yield from marks_of(table, words)
    yield words("Subsystems by their median.")


FIGURE = FigureKind(
    name="filters-rate", title=message("Packets dropped by each subsystem"),
    studies=("filters",), table=table, draw=draw, caption=caption, place=10,
)  # fmt: skip
