"""Throughput over the operations of a packet: a panel for each family, its key in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from linerate.reports.drawing.axes import counts_axis, log_axis
from linerate.reports.drawing.keys import dots_key
from linerate.reports.drawing.marks import joined
from linerate.reports.drawing.panels import COLUMNS_MAX, Layout, Panels, panels
from linerate.reports.drawing.style import styled
from linerate.reports.figures.captions import marks_of
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import THROUGHPUT
from linerate.reports.figures.operations.packet_times import MIXED
from linerate.reports.figures.pipelines.cells import (
    FACTORS,
    NO_PIPELINE,
    of_most,
    serial_rows,
    with_kinds,
)
from linerate.reports.language import Words, message
from linerate.reports.language.operations import short_kind
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.spreads import rows_where, spreads_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAMILIES = {
    "register": message("registers"), "table": message("tables"), "hash": message("hashes"),
    "recirculate": message("recirculation"),
}  # fmt: skip
"""By the first word of a kind; the others calculate."""
ARITHMETIC = message("arithmetic")
FAMILY_INCHES = (2.5, 2.3)
TICKS_MAX = 5
KEY_KINDS_MAX = 7
"""A longer key stands in two columns, below where throughput has fallen little yet."""


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Throughput over how many operations a packet has, at the place with most kinds.

    Returns
    -------
    ``FACTORS, family, kind, times`` and ``mpps`` with its ends; each kind has the packet of none
    for 0. Mixes of equal counts are a kind of their own.
    """
    rows = of_most(serial_rows(section), "operations")
    if rows.empty:
        return NO_PIPELINE
    rows = with_kinds(rows)
    counted = rows_where(rows, ~rows["kind"].isin(["", MIXED]))
    none = rows_where(rows, rows["kind"] == "")
    if counted.empty:
        return LeftOut(why=message("no pipeline was given operations"))
    origins = none.drop(columns="kind").merge(
        counted[["program", "kind"]].drop_duplicates(), on="program"
    )
    both = pd.concat([counted, origins], ignore_index=True)
    both = both.assign(family=[family_of(kind) for kind in both["kind"]])
    keys = [*FACTORS, "family", "kind", "times"]
    return spreads_of(both, keys, ["mpps"]).assign(series="measured")


def family_of(kind: str) -> str:
    """Name what a kind is one of.

    >>> family_of("register_read_32"), family_of("add")
    ('registers', 'arithmetic')
    """
    return FAMILIES.get(kind.split("_")[0], ARITHMETIC)


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw throughput over the operations of a packet."""
    there = set(table["family"])
    families = [family for family in (*FAMILIES.values(), ARITHMETIC) if family in there]
    columns = min(COLUMNS_MAX, len(families))
    rows = -(-len(families) // columns)
    width, height = FAMILY_INCHES
    inches = (columns * width + 0.6, rows * height + 0.5)
    grid = panels(Layout(rows=rows, columns=columns, inches=inches, share_x=False), ax)
    for axes in grid.axes.flat[len(families) :]:
        axes.set_axis_off()
    for axes, family in zip(grid.axes.flat, families, strict=False):
        axes.set_title(words(family))
        _family(axes, table[table["family"] == family])
    log_axis(grid.axes.flat[0], "y", words)
    grid.label(words("Operations per packet"), words(THROUGHPUT))
    return grid


def _family(axes: Axes, rows: pd.DataFrame) -> None:
    kinds = list(rows.groupby("kind")["mpps"].min().sort_values(ascending=False).index)
    for index, kind in enumerate(kinds):
        joined(axes, rows[rows["kind"] == kind], ("times", "mpps"), index)
    counts_axis(axes, most=TICKS_MAX)
    many = len(kinds) > KEY_KINDS_MAX
    axes.legend(handles=dots_key([short_kind(kind) for kind in kinds], joined=True),
                fontsize="x-small", ncols=2 if many else 1, columnspacing=0.8,
                loc="lower left" if many else "best")  # fmt: skip


FIGURE = FigureKind(
    name="pipeline-operations", title=message("Throughput of pipelines against their operations"),
    studies=("pipelines",), table=table, draw=draw, caption=marks_of, place=10,
)  # fmt: skip
