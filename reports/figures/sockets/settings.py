"""AF_XDP throughput by setting: a row for each load and setting, colours by accesses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from linerate.models.runs.selection import believable
from linerate.reports.drawing.axes import ticks
from linerate.reports.drawing.colours import amounts
from linerate.reports.drawing.dots import named_rows, rows_inches
from linerate.reports.drawing.gigabits import gigabits_axis
from linerate.reports.drawing.keys import dots_key
from linerate.reports.drawing.marks import dots
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.style import look, styled
from linerate.reports.figures.captions import marks_of
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import THROUGHPUT
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import accesses_text, condition
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
    """Draw a row for each load and setting, colours by accesses."""
    settings = varying(table, (*LOAD, *SOCKET, BATCH))
    named = table.assign(setting=[condition(row, settings, words) for _, row in table.iterrows()])
    order = named.groupby([*varying(table, LOAD), "setting"], sort=True)["mpps"].max()
    ranked = order.reset_index().sort_values([*varying(table, LOAD), "mpps"],
                                             ascending=False)  # fmt: skip
    names, counts = list(ranked["setting"]), sorted(table["memory_accesses"].unique())
    palette = amounts(len(counts))
    grid = panels(Layout(rows=1, columns=1, row_inches=rows_inches(names, 2)), ax)
    axes: Axes = grid.axes[0, 0]
    for index, count in enumerate(counts):
        own = named[named["memory_accesses"] == count]
        places = [names.index(name) for name in own["setting"]]
        dots(axes, own, places, "mpps", look(index, palette))
    named_rows(axes, names)
    axes.set_xlim(0.0, 1.08 * float(table["max_mpps"].max()))
    axes.xaxis.set_major_formatter(ticks(words))
    gigabits_axis([axes], table["frame_bytes"], words, "x")
    grid.label(words(THROUGHPUT), "")
    grid.key(dots_key([accesses_text(count, words) for count in counts], palette))
    return grid


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what the marks are."""
    yield words("Smallest frame; settings by their highest rate.")
    yield from marks_of(table, words)


FIGURE = FigureKind(
    name="af-xdp-settings", title=message("AF_XDP throughput by settings of the socket"),
    studies=("sockets",), table=table, draw=draw, caption=caption,
)  # fmt: skip
