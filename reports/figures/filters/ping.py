"""Round-trip time and lost pings under each filter's load: a row of panels for each program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from linerate.reports.drawing.axes import rates_axis
from linerate.reports.drawing.panels import Panels, wrapped
from linerate.reports.drawing.style import GREY, styled
from linerate.reports.figures.captions import of_measured
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.filters.cells import KEYS, filters_table
from linerate.reports.figures.filters.hooks import ends_of, hooks_of
from linerate.reports.language import Words, message
from linerate.reports.language.names import filter_name
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.spreads import rows_where

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABEL_LETTERS = 16
"""Of a line below the narrowest panel."""
NO_PINGS = LeftOut(why=message("no ping ran beside a filter"))


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Round-trip time and lost pings, hooks as in the rates."""
    found = filters_table(section)
    if isinstance(found, LeftOut):
        return NO_PINGS
    shown = [f"{end}{name}" for name in ("rtt_us", "ping_loss_percent")
             for end in ("", "min_", "max_")]  # fmt: skip
    rows = rows_where(found, found["ping_loss_percent"].notna())
    return rows[[*KEYS, *shown, "runs"]].assign(series="measured") if len(rows) else NO_PINGS


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw round-trip time at the left and lost pings at the right."""
    named, hooks = hooks_of(table, words)
    grid = hooks.panels(len(hooks.programs), 2, ax)
    for program, (left, right) in zip(hooks.programs, grid.axes, strict=True):
        own = named[named["program"] == program]
        hooks.draw(left, own, "rtt_us")
        hooks.draw(right, own, "ping_loss_percent")
        if table["rtt_us"].notna().any():
            rates_axis(left, ends_of(table, "rtt_us"), words)
        if own["rtt_us"].isna().all():
            left.annotate(wrapped(words("no ping came back"), LABEL_LETTERS), xy=(0.5, 0.5),
                          xycoords="axes fraction", ha="center", va="center",
                          color=GREY)  # fmt: skip
        right.set_xlim(-3.0, 103.0)
        for axes in (left, right):
            axes.tick_params(labelbottom=program == hooks.programs[-1])
        left.set_title(filter_name(program, words), loc="left")
    grid.axes[-1, 0].set_xlabel(wrapped(words("Round-trip time (µs)"), LABEL_LETTERS))
    grid.axes[-1, 1].set_xlabel(wrapped(words("Lost pings (%)"), LABEL_LETTERS))
    hooks.key(grid, words)
    return grid


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what the marks are."""
    if (of_measured(table)["runs"] > 1).any():
        yield words("Marks: median over the runs of each run's median round-trip time and lost "
                    "share, bars from the smallest to the largest.")  # fmt: skip
    else:
        yield words("Marks: median round-trip time and lost share of single runs.")
    if table["rtt_us"].isna().any():
        yield words("No time where no ping came back.")


FIGURE = FigureKind(
    name="filters-ping", title=message("Ping beside a filtered load"),
    studies=("filters",), table=table, draw=draw, caption=caption, place=20,
)  # fmt: skip
