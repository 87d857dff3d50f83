"""Each search of each cell as the interval between its bounds: colours by goal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from linerate.reports.drawing.axes import rates_axis
from linerate.reports.drawing.dots import named_rows, offset, rows_inches
from linerate.reports.drawing.gigabits import gigabits_axis
from linerate.reports.drawing.keys import key_entry
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.style import GREY, colour, styled
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.searches.cells import cell_names
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import conditions
from linerate.reports.language.factors import factored, varying
from linerate.reports.language.names import path_name
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

MRR = "mrr"
GOAL_NAMES = {
    "ndr": message("NDR: nothing lost"), "throughput": message("throughput (RFC 2544)"),
    "pdr": message("PDR: little lost"), MRR: message("MRR: received at the highest load"),
}  # fmt: skip
GOALS = tuple(GOAL_NAMES)
BOUND = ("lower_mpps", "upper_mpps", "conditional_mpps", "lower_loss_ratio", "limited_by",
         "mrr_mpps", "mrr_min_mpps", "mrr_max_mpps")  # fmt: skip
ENDS = ("lower_mpps", "upper_mpps", "mrr_min_mpps", "mrr_max_mpps")
DIAMOND: dict[str, Any] = {"marker": "D", "markersize": 3.0}
INTERVAL: dict[str, Any] = {"marker": "|", "linewidth": 2.2}


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Each search of each goal that is a rate, with its bounds; nothing is averaged."""
    found = section.searches
    rows = found[found["goal"].isin(GOALS)] if found is not None else None
    if rows is None or rows.empty:
        return LeftOut(why=message("no search was finished"))
    names = cell_names()
    table = factored(rows, names)[[*names, "search_id", "repetition", "preset", "goal", *BOUND]]
    return table.assign(runs=1, series="measured").reset_index(drop=True)


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw the bounds of each search."""
    cells = conditions(table, varying(table, cell_names()), words)
    there = set(table["goal"])
    goals = [goal for goal in GOALS if goal in there]
    slots = int(table.groupby(list(cell_names()), dropna=False).size().max())
    layout = Layout(rows=1, columns=1, row_inches=rows_inches([name for name, _ in cells], slots))
    grid = panels(layout, ax)
    axes = grid.axes[0, 0]
    for place, (_, rows) in enumerate(cells):
        ordered = rows.assign(rank=rows["goal"].map(GOALS.index)).sort_values(
            ["rank", "repetition"]
        )
        for number, (_, row) in enumerate(ordered.iterrows()):
            y = place + offset(number, len(ordered))
            _found(axes, row, y, colour(goals.index(row["goal"])))
    first = table.iloc[0]
    named_rows(axes, [name or path_name(first["datapath"], first["program"]) for name, _ in cells])
    rates_axis(axes, pd.concat([table[end].dropna() for end in ENDS]), words)
    gigabits_axis([axes], table["frame_bytes"], words, "x")
    axes.set_xlabel(words("Load (Mpps)"))
    grid.key(_key(table, goals, words))
    return grid


def _found(axes: Axes, row: pd.Series, y: float, drawn: str) -> None:
    """Draw an interval with its ends, and an arrow where one of them was not found."""
    lower, upper = row["lower_mpps"], row["upper_mpps"]
    if row["goal"] == MRR:
        ends = [[row["mrr_mpps"] - row["mrr_min_mpps"]], [row["mrr_max_mpps"] - row["mrr_mpps"]]]
        axes.errorbar([row["mrr_mpps"]], [y], xerr=ends, color=drawn, elinewidth=0.8, zorder=3,
                      **DIAMOND)  # fmt: skip
        return
    found = [end for end in (lower, upper) if pd.notna(end)]
    axes.plot(found, [y] * len(found), color=drawn, markersize=5.0, solid_capstyle="butt",
              zorder=3, **INTERVAL)  # fmt: skip
    if len(found) == 1:
        axes.plot(found, [y], color=drawn, marker=">" if pd.notna(lower) else "<",
                  markersize=4.5, zorder=3)  # fmt: skip


def _key(table: pd.DataFrame, goals: list[str], words: Words) -> list[Artist]:
    key = [
        key_entry(words(GOAL_NAMES[goal]), color=colour(index),
                  **({**DIAMOND, "linestyle": ""} if goal == MRR else INTERVAL))
        for index, goal in enumerate(goals)
    ]  # fmt: skip
    bounded = table[table["goal"] != MRR]
    for end, arrow, name in (("upper_mpps", ">", words("no upper bound found")),
                             ("lower_mpps", "<", words("no lower bound found"))):  # fmt: skip
        if bounded[end].isna().any():
            key.append(key_entry(name, color=GREY, marker=arrow, linestyle=""))
    return key


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what bars and diamonds are."""
    if (table["goal"] != MRR).any():
        yield words("Each bar is one search of one program load: from the highest load that met "
                    "the goal to the lowest that did not.")  # fmt: skip
    if (table["goal"] == MRR).any():
        yield words("Diamonds: mean received rate at the highest load, from the smallest to the "
                    "largest trial.")  # fmt: skip


FIGURE = FigureKind(
    name="search-bounds", title=message("Highest load that is carried, by search"),
    studies=("searches",), table=table, draw=draw, caption=caption, place=10,
)  # fmt: skip
