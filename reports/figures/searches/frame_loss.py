"""Share of lost frames over the share of the highest load (RFC 2544, section 26.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from linerate.reports.drawing.axes import ticks
from linerate.reports.drawing.colours import INK
from linerate.reports.drawing.panels import Panels
from linerate.reports.drawing.style import styled
from linerate.reports.figures.captions import of_measured
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.load.panels_by_load import arrivals_key
from linerate.reports.figures.searches.cells import (
    draw_curves,
    panels_by_cell,
    point_names,
    points_of,
)
from linerate.reports.language import Words, message
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.spreads import spreads_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Lost share over load in percent of the highest of its search."""
    rows = points_of(section, "max_mpps", rfc2544=True)
    if rows.empty or "intended_packets" not in rows.columns:
        return LeftOut(why=message("no search took the frame loss of RFC 2544"))
    intended = rows["intended_packets"].astype("float64")
    carried = rows["forwarded_packets"].astype("float64") / intended
    rows = rows.assign(loss_percent=100.0 * (1.0 - carried))
    return spreads_of(rows, point_names(), ["loss_percent"]).assign(series="measured")


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw the share of lost frames."""
    grid, found = panels_by_cell(table, words, ax)
    for axes, rows in found:
        draw_curves(axes, rows, "loss_percent", INK)
        axes.set_ylim(-3.0, 103.0)
        axes.yaxis.set_major_formatter(ticks(words))
    grid.label(words("Load (% of the highest of the search)"), words("Lost frames (%)"))
    grid.key(arrivals_key(table, words))
    return grid


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what is lost, and what the marks are."""
    yield words("RFC 2544, section 26.3: share of the intended frames that did not come back.")
    if (of_measured(table)["runs"] > 1).any():
        yield words("Marks: median of the searches, bars from the smallest to the largest.")
    else:
        yield words("Marks: single searches.")


FIGURE = FigureKind(
    name="frame-loss", title=message("Frame loss against the offered load"),
    studies=("searches",), table=table, draw=draw, caption=caption, place=30,
)  # fmt: skip
