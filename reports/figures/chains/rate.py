"""Throughput and loss over the length of a chain: a row of panels for each load."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from linerate.reports.drawing.gigabits import gigabits_axis
from linerate.reports.drawing.panels import Layout, Panels, name_row, panels
from linerate.reports.drawing.style import styled
from linerate.reports.figures.captions import marks_of
from linerate.reports.figures.chains.kinds import (
    KEYS,
    KIND,
    LENGTH,
    OTHERS,
    chain_rows,
    draw_kinds,
    kinds_key,
    lengths_axis,
)
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import THROUGHPUT
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import conditions
from linerate.reports.language.factors import varying
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.spreads import rows_where, spreads_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Take the forwarded rate and share of lost packets over length."""
    rows = chain_rows(section)
    rows = rows_where(rows, rows["generator"] != "ping")
    if rows.empty or "intended_packets" not in rows.columns:
        return LeftOut(why=message("no load but pings was offered to a chain"))
    intended = rows["intended_packets"].astype("float64")
    carried = rows["forwarded_packets"].astype("float64") / intended
    rows = rows.assign(
        mpps=rows["forwarded_mpps"].astype("float64"), loss_percent=100.0 * (1.0 - carried)
    )
    names = ["mpps", "loss_percent"]
    return spreads_of(rows, [*KEYS, "chain_length"], names).assign(series="measured")


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw throughput at the left and loss at the right."""
    found = conditions(table, varying(table, OTHERS, within=KIND), words)
    grid = panels(Layout(rows=len(found), columns=2, share_y="col"), ax)
    for (left, right), (name, rows) in zip(grid.axes, found, strict=True):
        draw_kinds(left, rows, table, "mpps", join=True)
        draw_kinds(right, rows, table, "loss_percent", join=True)
        name_row(right, name)
        for axes in (left, right):
            lengths_axis(axes, table, words)
        left.set_ylim(0.0, 1.08 * float(table["max_mpps"].max()) or 1.0)
        right.set_ylim(-3.0, 103.0)
        gigabits_axis([left], rows["frame_bytes"], words)
    grid.axes[0, 0].set_title(words(THROUGHPUT))
    grid.axes[0, 1].set_title(words("Lost packets (%)"))
    grid.label(words(LENGTH), "")
    grid.key(kinds_key(table, words))
    return grid


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what is lost, and what the marks are."""
    yield words("Lost: share of the intended packets that did not arrive.")
    yield from marks_of(table, words)


FIGURE = FigureKind(
    name="chain-rate", title=message("Throughput and loss against the length of the chain"),
    studies=("chains",), table=table, draw=draw, caption=caption, place=20,
)  # fmt: skip
