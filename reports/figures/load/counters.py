"""What the CPU counts a packet over memory accesses: a panel for each counter, colours by path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from linerate.models.runs.selection import alike, believable
from linerate.reports.drawing.axes import accesses_axis, log_axis
from linerate.reports.drawing.keys import key_entry
from linerate.reports.drawing.marks import bars, line
from linerate.reports.drawing.panels import Panels, panels_for
from linerate.reports.drawing.paths import colours_of, of_path, path_rows
from linerate.reports.drawing.style import marker, styled
from linerate.reports.figures.captions import marks_of
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import ACCESSES
from linerate.reports.language import Words, message
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.cells import PAIR
from linerate.reports.tables.left_out import NO_RUNS
from linerate.reports.tables.spreads import rows_where, spread_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COUNTERS = {
    "instructions_per_packet": message("instructions"),
    "cycles_per_packet": message("cycles"),
    "branches_per_packet": message("branches"),
    "branch_misses_per_packet": message("mispredicted branches"),
    "l1_loads_per_packet": message("L1 data loads"),
    "l1_load_misses_per_packet": message("L1 data load misses"),
    "llc_load_misses_per_packet": message("last-level load misses"),
}  # fmt: skip
"""Columns of the table of runs, with messages of the catalogue."""
NONE = LeftOut(why=message("no run has counters of the CPU, such as instructions, branches and "
                           "cache loads: the machine or the probes gave none"))  # fmt: skip
NOT_VARIED = LeftOut(why=message("accesses were not varied in runs with counters of the CPU"))


def counted(runs: pd.DataFrame) -> list[str]:
    """List the counters that any run has."""
    return [name for name in COUNTERS if name in runs.columns and bool(runs[name].notna().any())]


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Take counts of a packet over accesses, with the smallest frame and most queues of each path.

    Returns
    -------
    ``datapath, program, queues, frame_bytes, memory_accesses``, ``statistic`` (the counter),
    ``per_packet`` with its ends, ``runs``.
    """
    rows, notes = believable(section.rows("capacity"))
    rows, _ = alike(rows, notes)
    names = counted(rows)
    if not names:
        return NO_RUNS if counted(section.rows("capacity")) else NONE
    rows = rows_where(rows, rows[names].notna().any(axis=1))
    smallest = rows.groupby(PAIR)["frame_bytes"].transform("min")
    rows = rows_where(rows, rows["frame_bytes"] == smallest)
    rows = rows_where(rows, rows["queues"] == rows.groupby(PAIR)["queues"].transform("max"))
    if rows["memory_accesses"].nunique() < 2:
        return NOT_VARIED
    keys = [*PAIR, "queues", "frame_bytes", "memory_accesses"]
    parts = [
        spread_of(own.groupby(keys)[name], "per_packet").assign(statistic=name)
        for name in names for own in [rows_where(rows, rows[name].notna())]
    ]  # fmt: skip
    return pd.concat(parts, ignore_index=True).assign(series="measured")


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw a panel for each counter."""
    names = [name for name in COUNTERS if name in set(table["statistic"])]
    grid = panels_for(len(names), ax, share_y=False, columns=2 if len(names) == 4 else 3)
    paths = path_rows(table)
    colours = colours_of(paths)
    for axes, name in zip(grid.axes.flat, names, strict=False):
        rows = table[table["statistic"] == name]
        for index, path in enumerate(paths):
            own = of_path(rows, path)
            line(axes, own, "memory_accesses", "per_packet", color=colours[index], linewidth=0.6)
            bars(axes, own, "memory_accesses", "per_packet", color=colours[index],
                 marker=marker(index))  # fmt: skip
        accesses_axis(axes, list(table["memory_accesses"].unique()), words)
        if bool((rows["min_per_packet"] > 0.0).all()):
            log_axis(axes, "y", words)
    grid.titles([words(COUNTERS[name]) for name in names])
    grid.label(words(ACCESSES), words("Per packet"), words)
    grid.key([key_entry(name, color=colours[index], marker=marker(index), linewidth=0.6)
              for index, name in enumerate(paths.values())])  # fmt: skip
    return grid


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what marks are, and what is counted."""
    yield from marks_of(table, words)
    yield words("Counted on the device's cores, over the packets that it received.")


FIGURE = FigureKind(
    name="counters-by-accesses", title=message("What the CPU counts for a packet"),
    studies=("capacity",), table=table, draw=draw, caption=caption, place=94,
)  # fmt: skip
