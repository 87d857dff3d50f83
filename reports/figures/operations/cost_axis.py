"""The axis and caption of figures of costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from linerate.reports.drawing.axes import Side, log_axis, symlog_axis
from linerate.reports.figures.captions import marks_of
from linerate.reports.language import Words, message
from linerate.reports.section import Section

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COST = message("Time of one operation (ns)")
TICKS_NS = (-1000, -100, -10, -1, 0, 1, 10, 100, 1000, 10000, 100000)
"""Where a cost lies within the noise, its difference may be negative."""


def cost_axis(axes: Axes, which: Side, table: pd.DataFrame, words: Words) -> None:
    """Logarithmic, around zero too where a difference is negative."""
    if float(table["min_ns"].min()) <= 0.0:
        symlog_axis(axes, which, TICKS_NS, words, linear=(1.0, 0.5))
        return
    if which == "x":
        axes.set_xlim(0.8 * float(table["min_ns"].min()), 1.25 * float(table["max_ns"].max()))
    log_axis(axes, which, words)


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what a cost is."""
    yield words("Service time on a core with the operations minus that without any, divided by "
                "their number.")  # fmt: skip
    yield from marks_of(table, words)
