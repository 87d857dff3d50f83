"""Published round-trip time that a function of a chain adds, beside what was measured here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from linerate.reports.drawing.axes import ticks
from linerate.reports.drawing.dots import named_rows, rows_inches
from linerate.reports.drawing.marks import of
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.style import INK, styled
from linerate.reports.figures.chains import rtt
from linerate.reports.figures.chains.kinds import KEYS, KIND
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.published.values import PER_FUNCTION
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import condition
from linerate.reports.language.factors import varying
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NO_LINE = LeftOut(why=message("no chain was measured at three lengths"))


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Slope of each kind of chain by the fitted model, and the published ones.

    Returns
    -------
    The columns of ``chain-rtt`` for each kind's runs (series ``measured``), with
    ``rtt_per_function_us``; and ``source`` for the series ``published``.
    """
    found = rtt.table(section)
    if isinstance(found, LeftOut):
        return found
    slopes = of(found, "line")
    if slopes.empty:
        return NO_LINE
    names = [name for name in KEYS if name in found.columns]
    each = slopes.groupby(names, dropna=False)["rtt_per_function_us"].first().reset_index()
    runs = of(found, "measured").groupby(names, dropna=False)["runs"].sum().reset_index()
    measured = each.merge(runs, on=names, how="left").assign(series="measured")
    published = pd.DataFrame({
        "rtt_per_function_us": [one.value for one in PER_FUNCTION],
        "source": [one.source for one in PER_FUNCTION], "series": "published",
    })  # fmt: skip
    return pd.concat([measured, published], ignore_index=True)


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw a row for each kind of chain, and for each published value."""
    measured, published = of(table, "measured"), of(table, "published")
    named = varying(measured, KIND) or list(KIND[:1])
    names = [condition(row, named, words) for _, row in measured.iterrows()]
    names += [str(source).split(",")[0] for source in published["source"]]
    values = [*measured["rtt_per_function_us"], *published["rtt_per_function_us"]]
    grid = panels(Layout(rows=1, columns=1, row_inches=rows_inches(names, 1)), ax)
    axes: Axes = grid.axes[0, 0]
    for place, value in enumerate(values):
        axes.plot([value], [place], color=INK, marker="o" if place < len(measured) else "D",
                  markerfacecolor=INK if place < len(measured) else "white")  # fmt: skip
    named_rows(axes, names)
    axes.set_xlim(0.0, 1.08 * max(values))
    axes.xaxis.set_major_formatter(ticks(words))
    grid.label(words("Round-trip time that a function adds (µs)"), "")
    return grid


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what the marks are, and who published what."""
    yield words("Filled marks: slopes of the fitted model, from one function on.")
    sources = of(table, "published")["source"].unique()
    yield words("Open marks: published ({sources}); other machines and labs, so that forms "
                "compare and rates do not.", sources="; ".join(sources))  # fmt: skip


FIGURE = FigureKind(
    name="published-chains", title=message("Published time of a chain's function beside ours"),
    studies=("chains",), table=table, draw=draw, caption=caption, place=95,
)  # fmt: skip
