"""Rates of the user's own programs, by where packets end: a row for each cell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from linerate.models.runs.selection import believable
from linerate.programs.times import VERDICTS
from linerate.reports.drawing.axes import ticks
from linerate.reports.drawing.dots import named_rows, rows_fit, rows_inches
from linerate.reports.drawing.gigabits import gigabits_axis
from linerate.reports.drawing.keys import key_band
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.style import colour, styled
from linerate.reports.figures.captions import of_measured
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import THROUGHPUT
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import condition
from linerate.reports.language.factors import LOAD, factored, varying
from linerate.reports.language.names import path_name
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.spreads import number_of, spreads_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PROGRAM = ("program", "datapath")
GIVEN = ("object_entry", "object_traffic", "object_maps", "object_hook",
         "ruleset_hook", "ruleset_established", "ruleset_interfaces",
         "ruleset_traffic")  # fmt: skip
KEYS = (*PROGRAM, *GIVEN, *LOAD)
ENDS = {
    "drop": message("dropped"), "pass": message("passed to the kernel"),
    "tx": message("sent back"), "redirect": message("redirected"),
    "aborted": message("aborted"),
}  # fmt: skip


UNNAMED = message("Programs and settings, by rate: names in the CSV")
"""Instead of names where there are more than a page has lines."""


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Median rate of each end that occurs, one row for each cell and end."""
    rows, _ = believable(section.rows("own"))
    if rows.empty:
        return LeftOut(why=message("no run of an own program can be believed"))
    seconds = number_of(rows, "duration_s")
    rates = {end: number_of(rows, f"ended_{end}") / seconds / 1e6 for end in VERDICTS}
    spreads = spreads_of(factored(rows, KEYS).assign(**rates), KEYS, VERDICTS)
    parts = [
        spreads[[*KEYS, "runs"]].assign(
            statistic=end, mpps=spreads[end], min_mpps=spreads[f"min_{end}"],
            max_mpps=spreads[f"max_{end}"],
        )
        for end in ENDS
        if (spreads[end] > 0.0).any()
    ]  # fmt: skip
    if not parts:
        return LeftOut(why=message("no packet came to an own program"))
    return pd.concat(parts, ignore_index=True).assign(series="measured")


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw a bar for each cell, one piece for each end."""
    named = table.assign(cell=_names(table, words))
    cells = list(dict.fromkeys(named["cell"]))
    fit = rows_fit(cells, 1)
    if not fit:
        cells = list(named.groupby("cell")["mpps"].sum().sort_values(ascending=False).index)
    grid = panels(Layout(rows=1, columns=1, row_inches=rows_inches(cells, 1)), ax)
    axes: Axes = grid.axes[0, 0]
    ends = list(dict.fromkeys(named["statistic"]))
    reached = pd.Series(0.0, index=cells)
    for index, end in enumerate(ends):
        rates = named[named["statistic"] == end].set_index("cell")["mpps"].reindex(cells)
        axes.barh(range(len(cells)), rates, left=reached, height=0.6, color=colour(index))
        reached = reached + rates
    named_rows(axes, cells)
    if not fit:
        axes.set_yticks([])
    axes.set_xlim(0.0, 1.05 * float(reached.max()))
    axes.xaxis.set_major_formatter(ticks(words))
    gigabits_axis([axes], table["frame_bytes"], words, "x")
    grid.label(words(THROUGHPUT), "" if fit else words(UNNAMED))
    grid.key([
        key_band(words(ENDS[end]), color=colour(index)) for index, end in enumerate(ends)
    ])  # fmt: skip
    return grid


def _names(table: pd.DataFrame, words: Words) -> list[str]:
    varied = varying(table, [*GIVEN, *LOAD], within=PROGRAM)
    found = []
    for _, row in table.iterrows():
        details = condition(row, varied, words)
        path = path_name(row["datapath"], row["program"], alone=False)
        found.append(f"{path}, {details}" if details else path)
    return found


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what a bar is."""
    yield words("Bars: packets that the program gave its verdict on, by where they ended.")
    if (of_measured(table)["runs"] > 1).any():
        yield words("Each piece is the median of the repetitions.")


FIGURE = FigureKind(
    name="own-programs", title=message("Rates of own programs, by where packets end"),
    studies=("own",), table=table, draw=draw, caption=caption, place=10,
)  # fmt: skip
