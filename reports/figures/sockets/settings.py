"""AF_XDP throughput over batch size: panels by accesses and load, colours by setting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from linerate.models.runs.selection import believable
from linerate.reports.drawing.axes import doubling_axis, ticks
from linerate.reports.drawing.keys import key_mark
from linerate.reports.drawing.marks import bars, line
from linerate.reports.drawing.panels import Panels, panels_for
from linerate.reports.drawing.style import colour, marker, styled
from linerate.reports.figures.captions import marks_of
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import THROUGHPUT
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import conditions
from linerate.reports.language.factors import LOAD, SOCKET, factored, varying
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.grids import few
from linerate.reports.tables.spreads import spreads_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PROGRAM = ("program", "memory_accesses")
BATCH = "socket_batch_packets"
KEYS = (*PROGRAM, *SOCKET, BATCH, *LOAD)
FEW_ACCESSES = 3
"""Access counts that are shown: the settings matter most where the program does least."""
CLOSE = 0.03
"""Half the width over which the settings of one batch size are spread, in doublings each."""


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Throughput at the smallest frame by every setting that was varied."""
    rows, _ = believable(section.rows("sockets"))
    rows = factored(rows, KEYS)
    rows = rows[rows["frame_bytes"] == rows["frame_bytes"].min()]
    tried = rows.groupby([*PROGRAM, *LOAD], dropna=False)[[*SOCKET, BATCH]].transform("nunique")
    rows = rows[(tried > 1).any(axis=1)]
    if rows.empty:
        return LeftOut(why=message("no setting of a socket was varied"))
    rows = rows[rows["memory_accesses"].isin(few(rows["memory_accesses"], FEW_ACCESSES))]
    rows = rows.assign(mpps=rows["forwarded_mpps"].astype("float64"))
    return spreads_of(rows, KEYS, ["mpps"]).assign(datapath="af_xdp", series="measured")


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw throughput over batch size."""
    settings = varying(table, SOCKET)
    names = [name for name, _ in conditions(table, settings, words)]
    found = conditions(table, [*varying(table, LOAD), "memory_accesses"], words)
    grid = panels_for(len(found), ax)
    for axes, (name, rows) in zip(grid.axes.flat, found, strict=False):
        axes.set_title(name)
        for of_setting, own in conditions(rows, settings, words):
            _setting(axes, own, names.index(of_setting), len(names))
        axes.set_ylim(0.0, 1.08 * float(table["max_mpps"].max()))
        axes.yaxis.set_major_formatter(ticks(words))
        doubling_axis(axes, list(table[BATCH].unique()), words)
    grid.label(words("Packets of a batch, at most"), words(THROUGHPUT))
    grid.key([key_mark(name or words("measured"), index) for index, name in enumerate(names)])
    return grid


def _setting(axes: Axes, rows: pd.DataFrame, index: int, count: int) -> None:
    """Join the batch sizes of a setting; marks side by side, so that none hides another."""
    shift = 2.0 ** (CLOSE * (2 * index - count + 1))
    moved = rows.assign(**{BATCH: rows[BATCH] * shift})
    line(axes, moved, BATCH, "mpps", color=colour(index), linewidth=0.6)
    bars(axes, moved, BATCH, "mpps", color=colour(index), marker=marker(index))


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what the marks are."""
    yield words("Smallest frame.")
    yield from marks_of(table, words)
    if varying(table, SOCKET):
        yield words("Marks of one batch size lie side by side.")


FIGURE = FigureKind(
    name="af-xdp-settings", title=message("AF_XDP throughput by settings of the socket"),
    studies=("sockets",), table=table, draw=draw, caption=caption,
)  # fmt: skip
