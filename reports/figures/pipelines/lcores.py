"""Throughput of pipelines over lcores, of all together: open marks where they share cores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from linerate.reports.drawing.axes import counts_axis, log_axis
from linerate.reports.drawing.keys import dots_key, key_measured
from linerate.reports.drawing.marks import bars, line
from linerate.reports.drawing.panels import Panels, panels_for, wrapped
from linerate.reports.drawing.style import colour, mark, styled
from linerate.reports.figures.captions import marks_of
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import THROUGHPUT
from linerate.reports.figures.pipelines.cells import CELL, serial_rows, varied_alone
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import conditions
from linerate.reports.language.factors import NO, PIPELINE, YES, varying
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.spreads import spreads_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHARING = "oversubscribed"
KEY_LINE_INCHES = 0.17


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Throughput over lcores, of all together."""
    others = [name for name in CELL if name not in ("lcores", "queues", SHARING)]
    rows = varied_alone(serial_rows(section), others, "queues")
    if rows.empty:
        return LeftOut(why=message("the lcores of no pipeline were varied"))
    return spreads_of(rows, CELL, ["mpps"]).assign(series="measured")


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw throughput over lcores: a panel for each program."""
    factors = ("program", "operations", "frame_bytes", "flows",
               *(factor for factor in PIPELINE if factor != SHARING))  # fmt: skip
    varied = varying(table, factors, within=("queues", SHARING))
    programs = [name for name in varied if name in ("program", "operations")]
    others = [name for name in varied if name not in programs]
    found, names = conditions(table, programs, words), _names(table, others, words)
    grid = panels_for(len(found), ax, share_x=False)
    for axes, (name, rows) in zip(grid.axes.flat, found, strict=False):
        axes.set_title(wrapped(name))
        for of_condition, own in conditions(rows, others, words):
            _lcores(axes, own, names.index(of_condition))
        counts_axis(axes)
        axes.set_xlim(table["queues"].min() - 0.2, table["queues"].max() + 0.2)
    log_axis(grid.axes.flat[0], "y", words)
    key = dots_key(names, joined=True) if any(names) else []
    if ax is None:
        _make_room(grid.whole, len(key) + 2)
    if YES in set(table[SHARING]):
        key.append(key_measured(words("lcores share cores"), markerfacecolor="white"))
    grid.label(words("lcores"), words(THROUGHPUT))
    grid.key(key)
    return grid


def _make_room(figure: Figure, lines: int) -> None:
    figure.set_figheight(max(figure.get_figheight(), KEY_LINE_INCHES * lines))


def _names(table: pd.DataFrame, varied: Sequence[str], words: Words) -> list[str]:
    return list(dict.fromkeys(name for name, _ in conditions(table, varied, words)))


def _lcores(axes: Axes, rows: pd.DataFrame, index: int) -> None:
    line(axes, rows, "queues", "mpps", color=colour(index), linewidth=0.6)
    for sharing, fill in ((NO, colour(index)), (YES, "white"), ("", colour(index))):
        own = rows[rows[SHARING] == sharing]
        bars(axes, own, "queues", "mpps", color=colour(index), marker=mark(index),
             markerfacecolor=fill)  # fmt: skip


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what the marks are."""
    yield from marks_of(table, words)
    if YES in set(table[SHARING]):
        yield words("Open marks: lcores share cores.")


FIGURE = FigureKind(
    name="pipeline-lcores", title=message("Throughput of pipelines against lcores"),
    studies=("pipelines",), table=table, draw=draw, caption=caption, place=40,
)  # fmt: skip
