"""Published rates as open marks beside the same things measured here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from linerate.models.runs.selection import believable
from linerate.models.runs.training import CAPACITY_MODE
from linerate.reports.drawing.axes import log_axis
from linerate.reports.drawing.dots import named_rows, rows_inches
from linerate.reports.drawing.gigabits import gigabits_axis
from linerate.reports.drawing.keys import key_entry, key_measured
from linerate.reports.drawing.marks import dots, of
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.style import INK, look, styled
from linerate.reports.figures.captions import marks_of
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import THROUGHPUT
from linerate.reports.figures.published.values import RATES, Published
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import factor_text
from linerate.reports.language.factors import LOAD, factored
from linerate.reports.language.names import filter_name
from linerate.reports.section import Section
from linerate.reports.section.rows import Study
from linerate.reports.tables import LeftOut
from linerate.reports.tables.spreads import rows_where, spreads_of, stacked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STUDIES: tuple[Study, ...] = ("capacity", "pipelines", "filters")
NAMED = ("datapath", "program", "operations", "queues", "frame_bytes")
KEYS = ("datapath", "program", "operations", "filter_hook", *LOAD)
NOTHING = LeftOut(why=message("nothing that a study published was measured"))


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Each published rate with the median of our own runs of the same thing.

    Returns
    -------
    ``row`` (place in the figure), ``KEYS``, ``mpps``; in the series ``measured`` with its ends and
    ``runs``, in the series ``published`` with ``source``.
    """
    rows, _ = believable(section.rows_of(STUDIES))
    asked = {*KEYS, *(name for one in RATES for name in one.runs)}.intersection(rows.columns)
    rows = factored(rows[[*asked, "forwarded_mpps"]], KEYS)
    rows = rows.assign(mpps=rows["forwarded_mpps"].astype("float64"))
    measured: list[pd.DataFrame] = []
    published: list[pd.DataFrame] = []
    for one in RATES:
        own = _usual(_same(rows, one))
        if own.empty:
            continue
        ours = spreads_of(own, KEYS, ["mpps"]).head(1).assign(row=len(measured))
        measured.append(ours)
        published.append(ours[["row", *KEYS]].assign(mpps=one.value, source=one.source))
    if not measured:
        return NOTHING
    return stacked(measured=pd.concat(measured), published=pd.concat(published))


def _same(rows: pd.DataFrame, one: Published) -> pd.DataFrame:
    """Keep our runs of what was published; a table without a column says nothing of it."""
    for name, value in one.runs.items():
        if name in rows.columns:
            rows = rows_where(rows, (rows[name] == value).fillna(False))
    return rows


def _usual(rows: pd.DataFrame) -> pd.DataFrame:
    """Keep one load of several that ask for all there is: the one with most runs in it."""
    rows = rows[rows["mode"] == CAPACITY_MODE]
    if rows.empty:
        return rows
    sizes = rows.groupby(list(KEYS), dropna=False)["mpps"].transform("size")
    first = rows[sizes == sizes.max()].groupby(list(KEYS), dropna=False).ngroup()
    kept = rows_where(rows[sizes == sizes.max()], first == first.min())
    return kept


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw a row for each published rate."""
    measured = of(table, "measured").sort_values("row")
    names = [_name(row, words) for _, row in measured.iterrows()]
    layout = Layout(rows=1, columns=1, row_inches=rows_inches(names, 1))
    grid = panels(layout, ax)
    axes: Axes = grid.axes[0, 0]
    dots(axes, measured, list(measured["row"]), "mpps", look(0))
    published = of(table, "published")
    axes.plot(published["mpps"], published["row"], **PUBLISHED)
    named_rows(axes, names)
    ends = table[["mpps", "min_mpps", "max_mpps"]].to_numpy(dtype=float)
    axes.set_xlim(0.8 * float(pd.Series(ends.ravel()).min()),
                  1.25 * float(pd.Series(ends.ravel()).max()))  # fmt: skip
    log_axis(axes, "x", words)
    gigabits_axis([axes], table["frame_bytes"], words, "x")
    grid.label(words(THROUGHPUT), "")
    grid.key([key_measured(words("measured here"), **look(0)),
              key_entry(words("published"), **PUBLISHED)])  # fmt: skip
    return grid


PUBLISHED: dict[str, Any] = {
    "color": INK,
    "marker": "D",
    "markerfacecolor": "white",
    "linestyle": "",
}


def _name(row: pd.Series, words: Words) -> str:
    filtered = filter_name(str(row["program"]), words)
    if str(row["program"]).startswith("drop_"):
        return f"{factor_text('datapath', row['datapath'], words)}, {filtered}"
    names = [name for name in NAMED if name != "program"]
    if row["datapath"] != "swx":
        names.remove("operations")
    return ", ".join(filter(None, (factor_text(name, row[name], words) for name in names)))


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what the marks are, and who published what."""
    yield from marks_of(table, words)
    sources = of(table, "published")["source"].unique()
    yield words("Open marks: published ({sources}); other machines and labs, so that forms "
                "compare and rates do not.", sources="; ".join(sources))  # fmt: skip


FIGURE = FigureKind(
    name="published-rates", title=message("Published rates beside those measured here"),
    studies=STUDIES, table=table, draw=draw, caption=caption, place=95,
)  # fmt: skip
