"""Throughput of pipelines over lcores, of all together: open marks where they share cores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.reports.drawing.axes import counts_axis, ticks
from linerate.reports.drawing.gigabits import gigabits_axis
from linerate.reports.drawing.keys import dots_key, key_entry, key_measured
from linerate.reports.drawing.marks import bars, line, of
from linerate.reports.drawing.panels import Panels, panels_for
from linerate.reports.drawing.style import IDEAL, colour, mark, styled
from linerate.reports.figures.captions import marks_of
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import THROUGHPUT
from linerate.reports.figures.pipelines.cells import CELL, serial_rows, varied_alone
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import conditions
from linerate.reports.language.factors import NO, PIPELINE, YES, varying
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.spreads import spreads_of, stacked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARING = "oversubscribed"
PROGRAM = ("program", "operations")
OTHERS = ("flows", "frame_bytes", *(factor for factor in PIPELINE if factor != SHARING))
LINES_MAX = 6
"""Lines that a panel can have for each to be told apart."""


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Throughput over lcores, of all together."""
    others = [name for name in CELL if name not in ("lcores", "queues", SHARING)]
    rows = varied_alone(serial_rows(section), others, "queues")
    if rows.empty:
        return LeftOut(why=message("the lcores of no pipeline were varied"))
    measured = spreads_of(rows, CELL, ["mpps"])
    return stacked(measured=measured, ideal=_ideal(measured))


def _ideal(measured: pd.DataFrame) -> pd.DataFrame:
    """As many times the fastest of the fewest lcores: from one end of each panel to the other."""
    parts = []
    panel = _panel(measured)
    for place, own in measured.groupby(panel, dropna=False):
        ends = np.array([own["queues"].min(), own["queues"].max()], dtype=float)
        first = float(own[own["queues"] == ends[0]]["mpps"].max())
        parts.append(pd.DataFrame({**dict(zip(panel, place, strict=True)), "queues": ends,
                                   "mpps": first * ends / ends[0]}))  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def _panel(measured: pd.DataFrame) -> list[str]:
    """Name what a panel has one value of."""
    lines = len(measured[list(OTHERS)].drop_duplicates())
    return [*PROGRAM, "flows"] if lines > LINES_MAX else list(PROGRAM)


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw throughput over lcores: a panel for each program, and for flows where lines are many."""
    table, ideal = of(table, "measured"), of(table, "ideal")
    panel = _panel(table)
    varied = varying(table, (*PROGRAM, *OTHERS), within=("queues", SHARING))
    programs = [name for name in varied if name in panel]
    others = [name for name in varied if name not in programs]
    found, names = conditions(table, programs, words), _names(table, others, words)
    grid = panels_for(len(found), ax, share_x=False, share_y=False)
    grid.titles([name for name, _ in found])
    for axes, (_, rows) in zip(grid.axes.flat, found, strict=False):
        for of_condition, own in conditions(rows, others, words):
            _lcores(axes, own, names.index(of_condition))
        _scale(axes, rows, ideal.merge(rows[panel].drop_duplicates(), on=panel))
        counts_axis(axes)
        axes.yaxis.set_major_formatter(ticks(words))
        gigabits_axis([axes], rows["frame_bytes"], words)
    key = dots_key(names, joined=True) if any(names) else []
    if YES in set(table[SHARING]):
        key.append(key_measured(words("lcores share cores"), markerfacecolor="white"))
    grid.label(words("lcores"), words(THROUGHPUT))
    grid.key([*key, key_entry(words("ideal: linear"), **IDEAL)])
    return grid


def _scale(axes: Axes, rows: pd.DataFrame, ideal: pd.DataFrame) -> None:
    """Draw what is ideal, from zero, as far as the panel goes."""
    line(axes, ideal, "queues", "mpps", zorder=1, **IDEAL)
    axes.set_xlim(0.5, float(rows["queues"].max()) + 0.5)
    axes.set_ylim(0.0, 1.08 * float(rows["max_mpps"].max()))


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
    if YES in set(table[SHARING].dropna()):
        yield words("Open marks: lcores share cores.")
    yield words("Dotted: as many times the rate as lcores. Each panel has a scale of its own.")


FIGURE = FigureKind(
    name="pipeline-lcores", title=message("Throughput of pipelines against lcores"),
    studies=("pipelines",), table=table, draw=draw, caption=caption, place=40,
)  # fmt: skip
