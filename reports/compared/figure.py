"""The ratio of each cell of two campaigns, sorted, with its interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from linerate.models.contrast import Summary
from linerate.reports.compared.answer import named_ratios
from linerate.reports.compared.compared import Compared
from linerate.reports.compared.words import QUANTITIES
from linerate.reports.drawing.axes import log_axis, ticks
from linerate.reports.drawing.dots import named_rows, rows_inches
from linerate.reports.drawing.keys import key_band, key_entry
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.paths import colours_of, of_path, path_rows
from linerate.reports.drawing.style import LINE_RATE, marker, styled
from linerate.reports.figures import FigureKind
from linerate.reports.language import Words
from linerate.reports.section import Section
from linerate.reports.section.rows import STUDIES

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

NAMED_MAX = 24
"""More cells than these stand without their names, which the table has."""
UNNAMED_INCHES = 3.4
LOG_FROM = 3.0
"""Ratios that are this far apart are drawn by their logarithm."""
BAND: dict[str, Any] = {"color": "#d9d9d9", "zorder": 0, "linewidth": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """What is drawn of one quantity."""

    label: str
    """A message with the names of both campaigns."""
    names: tuple[str, str]


def figures_of(compared: Compared, words: Words) -> Iterator[FigureKind]:
    """Make a figure of each quantity in which any cell can differ."""
    for summary in compared.found.summaries:
        if not summary.cells:
            continue
        about = QUANTITIES[summary.quantity]
        table = drawn(named_ratios(compared, summary.quantity, words), summary)
        axis = Axis(label=about.axis, names=compared.names)
        yield FigureKind(
            name=about.name, title=about.title, studies=STUDIES,
            table=partial(_as_it_is, table), draw=partial(draw, axis=axis),
            caption=partial(caption, summary=summary),
        )  # fmt: skip


def _as_it_is(table: pd.DataFrame, section: Section) -> pd.DataFrame:
    """Take what was made before, whatever the section."""
    return table


def drawn(rows: pd.DataFrame, summary: Summary) -> pd.DataFrame:
    """Take the cells that can differ, with their names and the interval of all."""
    free = rows[~rows["at_ceiling"]].reset_index(drop=True)
    return free.assign(series="measured", all_lower=summary.lower, all_upper=summary.upper)


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None, *, axis: Axis) -> Panels:
    """Draw a row for each cell, the smallest ratio first."""
    names = list(table["name"])
    named = len(names) <= NAMED_MAX
    inches = rows_inches(names, 1) if named else UNNAMED_INCHES
    grid = panels(Layout(rows=1, columns=1, row_inches=inches), ax)
    axes: Axes = grid.axes[0, 0]
    paths = path_rows(table)
    colours = colours_of(paths)
    for index, path in enumerate(paths):
        _path(axes, of_path(table, path), {"color": colours[index], "marker": marker(index)},
              small=not named)  # fmt: skip
    first, second = axis.names
    if named:
        named_rows(axes, names)
    else:
        axes.set_ylim(len(names), -1.0)
        axes.set_yticks([])
        axes.set_ylabel(words("{n} cells, by their ratio", n=len(names)))
    axes.axvline(1.0, **{**LINE_RATE, "zorder": 1})
    ends = table[["all_lower", "all_upper"]].iloc[0]
    if bool(ends.notna().all()):
        axes.axvspan(float(ends["all_lower"]), float(ends["all_upper"]), **BAND)
    _scale(axes, table, words)
    grid.label(words(axis.label, first=first, second=second), "")
    grid.key(_key(table, dict(zip(paths.values(), colours, strict=True)), words))
    return grid


def _path(axes: Axes, rows: pd.DataFrame, drawn: dict[str, Any], *, small: bool) -> None:
    """Draw the cells of one path: filled where they tell, with their intervals."""
    known = rows[rows["lower_ratio"].notna()]
    axes.hlines(known.index, known["lower_ratio"], known["upper_ratio"], color=drawn["color"],
                linewidth=0.5 if small else 0.8, alpha=0.6 if small else 1.0, zorder=2)  # fmt: skip
    for telling, own in rows.groupby("telling"):
        axes.plot(own["ratio"], own.index, **drawn, linestyle="", zorder=3,
                  markersize=1.8 if small else 4.0,
                  markerfacecolor=drawn["color"] if telling else "white")  # fmt: skip


def _scale(axes: Axes, table: pd.DataFrame, words: Words) -> None:
    ends = table[["ratio", "lower_ratio", "upper_ratio"]].to_numpy(dtype=np.float64)
    low, high = min(1.0, float(np.nanmin(ends))), max(1.0, float(np.nanmax(ends)))
    if high / low > LOG_FROM:
        axes.set_xlim(low / 1.1, high * 1.1)
        log_axis(axes, "x", words)
    else:
        room = 0.05 * (high - low) or 0.01
        axes.set_xlim(low - room, high + room)
        axes.xaxis.set_major_formatter(ticks(words))


def _key(table: pd.DataFrame, colours: dict[str, str], words: Words) -> list[Artist]:
    marks = zip(colours.items(), map(marker, range(len(colours))), strict=True)
    key = [key_entry(name, color=colour, marker=mark) for (name, colour), mark in marks]
    bare: dict[str, Any] = {"marker": "o", "linestyle": ""}
    if table["telling"].any():
        key.append(key_entry(words("filled: interval leaves out 1"), **bare))
    if not table["telling"].all():
        key.append(
            key_entry(words("open: holds 1, or none known"), markerfacecolor="white", **bare)
        )
    key.append(key_entry(words("no difference"), **LINE_RATE))
    if table["all_lower"].notna().any():
        key.append(key_band(words("90 % interval of the median"), color=BAND["color"]))
    return key


def caption(
    table: pd.DataFrame, words: Words, section: Section, *, summary: Summary
) -> Iterator[str]:  # fmt: skip
    """Say what marks and bars are, and what is left out."""
    yield words("Marks: median ratio of each program load of one campaign over each of the other, "
                "bars its 90 % interval.")  # fmt: skip
    if summary.at_ceiling:
        yield words("Left out: {n} that carry all that was offered in both.",
                    n=words.plural("{n} cell", "{n} cells", summary.at_ceiling,
                                   digits=6))  # fmt: skip
