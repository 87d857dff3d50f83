"""Time that a mix of operations adds: measured, beside the sum of its parts and the model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from linerate.models.operations.work import operations_in
from linerate.reports.drawing.axes import ticks
from linerate.reports.drawing.dots import named_rows, rows_inches
from linerate.reports.drawing.keys import key_entry
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.style import INK, colour, styled
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.operations.costs import NO_MIXES, mixes_table
from linerate.reports.figures.operations.packet_times import PLACE, packet_times
from linerate.reports.language import Words, message
from linerate.reports.language.names import printable
from linerate.reports.language.operations import mix_name, short_kind
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KNOWN = [*PLACE, "working_set_bytes"]
LOOKS: dict[str, dict[str, Any]] = {
    "parts_ns": {"marker": "|", "color": colour(1), "markersize": 8, "markeredgewidth": 1.6},
    "added_ns": {"marker": "s", "color": INK, "markerfacecolor": "white"},
    "measured_ns": {"marker": "o", "color": colour(0)},
}
NAMES = {
    "parts_ns": message("sum of what its parts add alone"),
    "added_ns": message("model, with overlap and interaction"),
    "measured_ns": message("measured"),
}


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Take each mix of the place with most of them, with what its parts and the model add."""
    found = mixes_table(section)
    if isinstance(found, LeftOut):
        return found
    rows = packet_times(section)
    rows = rows.assign(mix=[mix_name(operations_in(text) or ()) for text in rows["operations"]])
    places = found.groupby(list(PLACE), dropna=False)["mix"].transform("nunique")
    found = found[places == places.max()].drop_duplicates("mix")
    parts = [_with_place(mix, rows) for _, mix in found.iterrows()]
    known = [part for part in parts if part is not None]
    if not known:
        return NO_MIXES
    return pd.DataFrame(known).assign(series="measured").sort_values(
        "measured_ns", ascending=False, ignore_index=True
    )  # fmt: skip


def _with_place(mix: pd.Series, rows: pd.DataFrame) -> pd.Series | None:
    """Give a mix its runs' factors: the model names only those that it tells costs apart by."""
    own = rows[rows["mix"] == mix["mix"]]
    for name in PLACE:
        if not (pd.isna(mix[name]) or mix[name] == ""):
            unknown = own[name].isna() | (own[name].astype(str) == "")
            own = own[unknown | (own[name] == mix[name])]
    if own.empty:
        return None
    first = own.iloc[0]
    return mix.drop(KNOWN).combine_first(first[[*KNOWN, "operations"]]).combine_first(
        pd.Series({"runs": len(own)})
    )  # fmt: skip


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw a row for each mix."""
    names = [", ".join(map(printable, short_kind(mix).split(" + "))) for mix in table["mix"]]
    grid = panels(Layout(rows=1, columns=1, row_inches=rows_inches(names, 1)), ax)
    axes: Axes = grid.axes[0, 0]
    for column, drawn in LOOKS.items():
        axes.plot(table[column], range(len(table)), linestyle="", zorder=3, **drawn)
    named_rows(axes, names)
    axes.set_xlim(0.0, 1.05 * float(table[list(LOOKS)].to_numpy().max()))
    axes.xaxis.set_major_formatter(ticks(words))
    grid.label(words("Time that the operations add to a packet (ns)"), "")
    grid.key([key_entry(words(NAMES[column]), linestyle="", **drawn)
              for column, drawn in LOOKS.items()])  # fmt: skip
    return grid


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what the marks are, and how many mixes are the sum of their parts."""
    yield words("Filled marks: time of a packet with the mix less that without operations.")
    yield words.plural("Within 15 % of the sum of their parts: {additive} of {n} mix.",
                       "Within 15 % of the sum of their parts: {additive} of {n} mixes.",
                       len(table), additive=int(table["additive"].sum()))  # fmt: skip


FIGURE = FigureKind(
    name="mixes", title=message("Mixes of operations beside the sum of their parts"),
    studies=("operations",), table=table, draw=draw, caption=caption, place=30,
)  # fmt: skip
