"""Time of one operation: a row for each kind, colours by how many a packet has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from linerate.reports.drawing.dots import named_rows, offset, row_inches
from linerate.reports.drawing.keys import dots_key
from linerate.reports.drawing.marks import dots
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.style import styled
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.operations.added_times import added_times
from linerate.reports.figures.operations.cost_axis import COST, caption, cost_axis
from linerate.reports.figures.operations.packet_times import PLACE
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import condition, conditions
from linerate.reports.language.factors import LOAD, varying
from linerate.reports.language.names import printable
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES_INCHES = 1.3
PANEL_INCHES = 2.6
KEY_INCHES = 1.1


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Time of one operation at each kind's smallest working set, the most expensive first.

    Of each program only the places at which most kinds were measured.
    """
    costs = added_times(section)
    if isinstance(costs, LeftOut):
        return costs
    costs = _best_known(costs)
    small = costs.groupby([*PLACE, "kind"], dropna=False)["working_set_bytes"].transform("min")
    costs = costs[(costs["working_set_bytes"] == small) | small.isna()]
    most_ns = costs.groupby("kind")["ns"].transform("median")
    return costs.assign(most_ns=-most_ns).sort_values(["most_ns", "kind", "times"]).drop(
        columns="most_ns"
    )  # fmt: skip


def _best_known(costs: pd.DataFrame) -> pd.DataFrame:
    """Keep the places of each program at which most kinds were measured."""
    kinds = costs.groupby(list(PLACE), dropna=False)["kind"].transform("nunique")
    most = kinds.groupby([costs["datapath"], costs["program"]]).transform("max")
    return costs[kinds == most]


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw the time of one operation."""
    varied = varying(table, ("datapath", *LOAD), within=("kind", "times"))
    found = conditions(table, varied, words)
    kinds = list(table["kind"].unique())
    counts = sorted(table["times"].unique())
    most = int(table.groupby("kind")["times"].nunique().max())
    inches = (NAMES_INCHES + len(found) * PANEL_INCHES + KEY_INCHES,
              len(kinds) * row_inches(most) + 0.9)  # fmt: skip
    grid = panels(Layout(rows=1, columns=len(found), inches=inches), ax)
    for axes, (name, rows) in zip(grid.axes[0], found, strict=True):
        axes.set_title(name or condition(rows.iloc[0], ("datapath",), words))
        for index, count in enumerate(counts):
            own = rows[rows["times"] == count]
            y = [kinds.index(kind) + _shift(count, rows[rows["kind"] == kind])
                 for kind in own["kind"]]  # fmt: skip
            dots(axes, own, y, "ns", index)
        named_rows(axes, [printable(kind) for kind in kinds])
        cost_axis(axes, "x", table, words)
    grid.label(words(COST), "")
    grid.key(dots_key([words("{n} per packet", n=words.number(count)) for count in counts]))
    return grid


def _shift(count: float, of_kind: pd.DataFrame) -> float:
    """Spread a kind's own counts over its row."""
    there = sorted(of_kind["times"].unique())
    return offset(there.index(count), len(there))


FIGURE = FigureKind(
    name="operations-by-kind", title=message("Cost of an operation by its kind"),
    studies=("operations",), table=table, draw=draw, caption=caption, place=10,
)  # fmt: skip
