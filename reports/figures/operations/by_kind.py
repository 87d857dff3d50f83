"""Time of one operation: a row for each kind, colours by how many a packet has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from linerate.reports.drawing.colours import amounts
from linerate.reports.drawing.dots import named_rows, rows_inches
from linerate.reports.drawing.keys import dots_key
from linerate.reports.drawing.marks import dots
from linerate.reports.drawing.page import page
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.style import look, styled
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.operations.added_times import added_times
from linerate.reports.figures.operations.cost_axis import COST, cost_axis
from linerate.reports.figures.operations.cost_axis import caption as cost_caption
from linerate.reports.figures.operations.packet_times import PLACE
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import condition, conditions
from linerate.reports.language.factors import LOAD, varying
from linerate.reports.language.names import printable
from linerate.reports.language.operations import short_kind
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    kinds = list(dict.fromkeys(table["kind"]))
    counts = sorted(table["times"].unique())
    palette = amounts(len(counts))
    grid = panels(_layout(len(found), kinds), ax)
    for axes, (name, rows) in zip(grid.axes.flat, found, strict=True):
        axes.set_title(name or condition(rows.iloc[0], ("datapath",), words))
        for index, count in enumerate(counts):
            own = rows[rows["times"] == count]
            dots(axes, own, [kinds.index(kind) for kind in own["kind"]], "ns",
                 look(index, palette))  # fmt: skip
        named_rows(axes, [printable(short_kind(kind)) for kind in kinds])
        cost_axis(axes, "x", table, words)
        _labelled(axes, rows, kinds, words)
    grid.label(words(COST), "", words)
    grid.key(dots_key([words("{n} per packet", n=words.number(count)) for count in counts],
                      palette))  # fmt: skip
    return grid


def _layout(columns: int, kinds: list[str]) -> Layout:
    """Panels beside each other while there is room for the numbers in them."""
    height = rows_inches(kinds, 1)
    if columns <= page().columns - 1:
        return Layout(rows=1, columns=columns, row_inches=height)
    return Layout(rows=columns, columns=1, row_inches=height)


def _labelled(axes: Axes, rows: pd.DataFrame, kinds: list[str], words: Words) -> None:
    """Write the cost at the most operations of each kind beside its row."""
    most = rows.sort_values("times").groupby("kind").last()
    for kind, row in most.iterrows():
        axes.annotate(words.number(row["ns"]), xy=(1.0, kinds.index(str(kind))),
                      xycoords=axes.get_yaxis_transform(), xytext=(3, 0),
                      textcoords="offset points", ha="left", va="center", fontsize=7,
                      annotation_clip=False)  # fmt: skip


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what a cost is, and what the numbers are."""
    yield from cost_caption(table, words, section)
    yield words("Numbers: the cost with the most operations that were measured, in ns.")


FIGURE = FigureKind(
    name="operations-by-kind", title=message("Cost of an operation by its kind"),
    studies=("operations",), table=table, draw=draw, caption=caption, place=10,
)  # fmt: skip
