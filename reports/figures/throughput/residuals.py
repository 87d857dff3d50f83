"""Errors of held-out cells over each factor: a law that is wrong shows a slope or a step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.reports.drawing.agreement import EQUAL
from linerate.reports.drawing.axes import announced, symlog_axis, ticks
from linerate.reports.drawing.keys import key_band, key_entry
from linerate.reports.drawing.panels import Panels, panels_for
from linerate.reports.drawing.paths import colours_of, of_path, path_rows
from linerate.reports.drawing.style import INK, marker, styled
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import ACCESSES, FRAME_SIZE
from linerate.reports.figures.throughput import held_out
from linerate.reports.language import Words, message
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FACTORS = {"memory_accesses": ACCESSES, "queues": message("Queues"), "frame_bytes": FRAME_SIZE}
KEPT = ["datapath", "program", *FACTORS, "runs", "noise_floor_percent", "error_percent"]
SIDE = 0.18
"""How far from its level a path's marks lie, in steps between levels."""


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Error of each held-out cell, once for each factor that was varied.

    Returns
    -------
    Columns ``KEPT``, ``statistic`` (the factor) and ``level`` (its value's place, from 0).
    """
    found = held_out.table(section)
    if isinstance(found, LeftOut):
        return found
    parts = []
    for factor in FACTORS:
        levels = np.unique(found[factor].to_numpy(dtype=float))
        if levels.size > 1:
            places = np.searchsorted(levels, found[factor].to_numpy(dtype=float))
            parts.append(found[KEPT].assign(statistic=factor, level=places, series="measured"))
    if not parts:
        return LeftOut(why=message("no factor of the held-out cells was varied"))
    return pd.concat(parts, ignore_index=True)


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw errors over the levels of each factor, with the median of each level."""
    factors = list(dict.fromkeys(table["statistic"]))
    names = path_rows(table)
    colours = colours_of(names)
    grid = panels_for(len(factors), ax, share_x=False)
    for axes, factor in zip(grid.axes.flat, factors, strict=False):
        rows = table[table["statistic"] == factor]
        for index, path in enumerate(names):
            own = of_path(rows, path)
            shift = SIDE * (2 * index - len(names) + 1)
            axes.plot(own["level"] + shift, own["error_percent"], color=colours[index],
                      marker=marker(index), markerfacecolor="none", markersize=2.6,
                      markeredgewidth=0.5, linestyle="")  # fmt: skip
        medians = rows.groupby("level")["error_percent"].median()
        axes.plot(medians.index, medians, color=INK, marker="_", markersize=9, linewidth=0.8)
        _levels(axes, rows, factor, words)
        axes.set_xlabel(words(FACTORS[factor]))
    _errors(grid, table, words)
    key = [key_entry(name, color=colours[index], marker=marker(index), markerfacecolor="none",
                     linestyle="") for index, name in enumerate(names.values())]  # fmt: skip
    key.append(key_entry(words("median"), marker="_", markersize=9))
    floor = float(table["noise_floor_percent"].iloc[0])
    if np.isfinite(floor):
        key.append(key_band(words("± mean noise floor, {percent} %",
                                  percent=words.number(floor, 2)), **held_out.BAND))  # fmt: skip
    grid.key(key)
    return grid


def _levels(axes: Axes, rows: pd.DataFrame, factor: str, words: Words) -> None:
    """Name the levels of a factor, evenly spaced; every other one where they are many."""
    values = rows.groupby("level")[factor].first()
    shown = values.iloc[:: 1 + len(values) // 5]
    axes.set_xticks(list(shown.index), [words.number(value) for value in shown])


def _errors(grid: Panels, table: pd.DataFrame, words: Words) -> None:
    """Scale the errors' axis, and draw the noise floor."""
    floor = float(table["noise_floor_percent"].iloc[0])
    for axes in grid.axes.flat[: table["statistic"].nunique()]:
        axes.axhline(0.0, zorder=1, **EQUAL)
        if np.isfinite(floor):
            axes.axhspan(-floor, floor, **held_out.BAND)
    first = grid.axes[0, 0]
    if float(table["error_percent"].abs().max()) > 2.0 * held_out.LINEAR_PERCENT:
        symlog_axis(first, "y", held_out.TICKS_PERCENT, words,
                    linear=(held_out.LINEAR_PERCENT, 1.0))  # fmt: skip
    first.yaxis.set_major_formatter(ticks(words))
    grid.label("", announced(words("Error of the prediction (%)"), first, "y", words))


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what the marks are."""
    yield words("Marks: error of the prediction of a held-out cell against the median of its runs.")
    yield words("Line: median of each level.")


FIGURE = FigureKind(
    name="residuals", title=message("Errors of held-out cells by factor"),
    studies=("capacity",), table=table, draw=draw, caption=caption, place=52,
)  # fmt: skip
