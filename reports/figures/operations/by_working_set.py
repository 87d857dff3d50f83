"""Time of one operation over the memory that it ranges over: colours by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from linerate.reports.drawing.axes import doubling_axis
from linerate.reports.drawing.keys import dots_key
from linerate.reports.drawing.marks import joined
from linerate.reports.drawing.panels import Panels, panels_for
from linerate.reports.drawing.style import styled
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.operations.added_times import added_times
from linerate.reports.figures.operations.cost_axis import COST, caption, cost_axis
from linerate.reports.figures.operations.packet_times import PLACE
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import bytes_text, condition, conditions
from linerate.reports.language.factors import LOAD, varying
from linerate.reports.language.names import printable
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SET = "working_set_bytes"


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Time of one operation over the working set, at the most operations of each kind."""
    costs = added_times(section)
    if isinstance(costs, LeftOut):
        return costs
    costs = costs[costs[SET] > 0.0]
    groups = costs.groupby([*PLACE, "kind", "times"], dropna=False)[SET]
    costs = costs[groups.transform("nunique") >= 2]
    if costs.empty:
        return LeftOut(why=message("the working set of no operation was varied"))
    most = costs.groupby([*PLACE, "kind"], dropna=False)["times"].transform("max")
    return costs[costs["times"] == most]


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw the time of one operation: a panel for each hook and load."""
    varied = varying(table, ("datapath", *LOAD), within=("kind", SET))
    found = conditions(table, varied, words)
    grid = panels_for(len(found), ax)
    kinds = sorted(table["kind"].unique())
    for axes, (name, rows) in zip(grid.axes.flat, found, strict=False):
        axes.set_title(name or condition(rows.iloc[0], ("datapath",), words))
        for index, kind in enumerate(kinds):
            joined(axes, rows[rows["kind"] == kind], (SET, "ns"), index)
        cost_axis(axes, "y", table, words)
        doubling_axis(axes, list(table[SET].unique()), words, lambda size: bytes_text(size, words))
    grid.label(words("Working set"), words(COST), words)
    grid.key(dots_key([printable(kind) for kind in kinds]))
    return grid


FIGURE = FigureKind(
    name="operations-by-working-set", title=message("Cost of an operation against its working set"),
    studies=("operations",), table=table, draw=draw, caption=caption, place=20,
)  # fmt: skip
