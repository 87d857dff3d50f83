"""Which cells to measure next, and by how much these runs narrow what is unknown of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from linerate.models.design import choose_cells
from linerate.models.design.candidates import chosen_table, combinations, costs_of
from linerate.reports.drawing.axes import ticks
from linerate.reports.drawing.dots import named_rows, rows_inches
from linerate.reports.drawing.keys import key_entry
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.paths import path_rows
from linerate.reports.drawing.style import INK, styled
from linerate.reports.figures.figure import FigureKind
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import accesses_text
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.left_out import NO_MODEL, NO_RUNS
from linerate.reports.tables.spreads import counted_paths, stacked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BUDGET = 12
"""Runs that are chosen: a row each, or fewer where a cell is worth measuring twice."""
FACTORS = ["datapath", "program", "memory_accesses", "queues", "frame_bytes", "link_gbps"]
OPEN: dict[str, Any] = {"color": INK, "marker": "o", "markerfacecolor": "white", "linestyle": ""}
FILLED: dict[str, Any] = {"color": INK, "marker": "o", "linestyle": ""}


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Choose the next runs among all combinations of the factors measured, as ``plan`` does.

    Returns
    -------
    Rows of the series ``measured``, ``cells`` and ``runs`` of each path; of ``plan``, a row for
    each chosen cell, the first chosen first: its factors, ``times`` that it is chosen, and what is
    unknown of its rate before and after all of these runs, ``before_percent, after_percent``; and
    of ``all``, one row of the root mean squares over all candidates.
    """
    training = section.training
    if training is None or section.predictor is None:
        return NO_RUNS if training is None else NO_MODEL
    candidates = combinations(training)
    costs, _ = costs_of(candidates, training)
    design = choose_cells(costs, candidates, BUDGET, measured=training.cells)
    chosen = chosen_table(candidates, design).assign(
        before_percent=100.0 * design.cell_before[design.rows],
        after_percent=100.0 * design.cell_after[design.rows],
    )  # fmt: skip
    plan = chosen.assign(times=chosen.groupby(FACTORS)["queues"].transform("size"))
    every = pd.DataFrame([{
        "before_percent": 100.0 * design.spread_before,
        "after_percent": 100.0 * float(design.spread_after[-1]), "times": len(candidates),
    }])  # fmt: skip
    return stacked(
        measured=counted_paths(section.runs, training.row, training.cell),
        plan=plan.drop_duplicates(FACTORS)[[*FACTORS, "times", "before_percent", "after_percent"]],
        all=every,
    )


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw a row for each chosen cell: what is unknown of its rate now, and after these runs."""
    plan = table[table["series"] == "plan"]
    paths = path_rows(plan)
    names = [_named(row, paths[row["datapath"], row["program"]], words)
             for _, row in plan.iterrows()]  # fmt: skip
    grid = panels(Layout(rows=1, columns=1, row_inches=rows_inches(names, 1)), ax)
    axes: Axes = grid.axes[0, 0]
    rows = np.arange(len(plan))
    before, after = (plan[name].to_numpy(dtype=float) for name in
                     ("before_percent", "after_percent"))  # fmt: skip
    axes.hlines(rows, after, before, color=INK, linewidth=0.8, zorder=2)
    axes.plot(before, rows, zorder=3, **OPEN)
    axes.plot(after, rows, zorder=4, **FILLED)
    named_rows(axes, names)
    axes.set_xlim(0.0, 1.08 * float(before.max()) or 1.0)
    axes.xaxis.set_major_formatter(ticks(words))
    grid.label(words("Unknown of the cell's rate (%)"), "")
    grid.key([key_entry(words("now"), **OPEN),
              key_entry(words("once these runs are there"), **FILLED)])  # fmt: skip
    return grid


def _named(row: pd.Series, path: str, words: Words) -> str:
    factors = (path, accesses_text(row["memory_accesses"], words), words.queues(int(row["queues"])),
               words("{n} B", n=words.number(row["frame_bytes"])))  # fmt: skip
    again = [words("{n} times", n=int(row["times"]))] if row["times"] > 1 else []
    return ", ".join([*factors, *again])


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say how the cells were chosen, and what they leave of all that is unknown."""
    every = table[table["series"] == "all"].iloc[0]
    chosen = table[table["series"] == "plan"]
    yield words(
        "The {n} runs that leave least unknown of all {cells} combinations of the factors "
        "measured, the best first: standard deviation of the logarithm of a cell's rate, from what "
        "the fitted constants leave open and a smooth deviation from the law.",
        n=int(chosen["times"].sum()), cells=int(every["times"]),
    )  # fmt: skip
    yield words(
        "Over all of them, root mean square: {before} % now, {after} % once these runs are there.",
        before=words.number(every["before_percent"]), after=words.number(every["after_percent"]),
    )  # fmt: skip


FIGURE = FigureKind(
    name="next-cells", title=message("Which cells to measure next"),
    studies=("capacity",), table=table, draw=draw, caption=caption, place=58,
)  # fmt: skip
