"""Operations: what one costs, over how many there are and over the memory they range over."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from linerate.reports.conditions import LOAD, bytes_text, condition, conditions, varying
from linerate.reports.figures.dots import dots_key, mark
from linerate.reports.figures.panels import Panels, bars, line, panels
from linerate.reports.sections import printable
from linerate.reports.style import colour, doubling_axis, log_axis, styled, ticks
from linerate.reports.words import Words

COLUMNS_MAX = 3
COST = "Time of one operation (ns)"
TICKS_NS = (-1000, -100, -10, -1, 0, 1, 10, 100, 1000, 10000, 100000)
"""Where a cost lies within the noise, its difference may be negative."""


@styled()
def operations_by_count(table: pd.DataFrame, words: Words) -> Figure:
    """Draw the time of one operation over operations a packet: colours by kind."""
    grid = _drawn(table, "times", words)
    for axes in grid.axes.flat:
        if axes.axison:
            doubling_axis(axes, list(table["times"].unique()), words)
    grid.label(words("Operations per packet"), words(COST), dots_key(_kinds(table)))
    return grid.figure


@styled()
def operations_by_working_set(table: pd.DataFrame, words: Words) -> Figure:
    """Draw the time of one operation over the table memory it ranges over: colours by kind."""
    grid = _drawn(table, "working_set_bytes", words)
    for axes in grid.axes.flat:
        if axes.axison:
            doubling_axis(axes, list(table["working_set_bytes"].unique()), words,
                          lambda size: bytes_text(size, words))  # fmt: skip
    grid.label(words("Working set"), words(COST), dots_key(_kinds(table)))
    return grid.figure


def _kinds(table: pd.DataFrame) -> list[str]:
    return [printable(kind) for kind in sorted(table["kind"].unique())]


def _drawn(table: pd.DataFrame, x: str, words: Words) -> Panels:
    """One panel for each hook and load."""
    told = varying(table, ("datapath", *LOAD), within=("kind", x))
    found = conditions(table, told, words)
    columns = min(COLUMNS_MAX, len(found))
    grid = panels(-(-len(found) // columns), columns)
    for axes in grid.axes.flat[len(found) :]:
        axes.set_axis_off()
    kinds = sorted(table["kind"].unique())
    for axes, (name, rows) in zip(grid.axes.flat, found, strict=False):
        axes.set_title(name or condition(rows.iloc[0], ("datapath",), words))
        for index, kind in enumerate(kinds):
            own = rows[rows["kind"] == kind]
            line(axes, own, x, "ns", color=colour(index), linewidth=0.6)
            bars(axes, own, x, "ns", color=colour(index), marker=mark(index))
        _cost_axis(axes, table, words)
    return grid


def _cost_axis(axes: Axes, table: pd.DataFrame, words: Words) -> None:
    if float(table["min_ns"].min()) > 0.0:
        log_axis(axes, "y", words)
        return
    axes.set_yscale("symlog", linthresh=1.0, linscale=0.5)
    axes.yaxis.set_major_locator(FixedLocator(list(TICKS_NS)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(ticks(words))
