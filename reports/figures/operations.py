"""Operations: what one costs, over how many there are and over the memory they range over."""

from __future__ import annotations

from typing import Literal

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from linerate.reports.conditions import LOAD, bytes_text, condition, conditions, varying
from linerate.reports.figures.dots import dots, dots_key, mark, named_rows, offset, row_inches
from linerate.reports.figures.panels import Panels, bars, line, panels
from linerate.reports.sections import printable
from linerate.reports.style import colour, doubling_axis, log_axis, styled, ticks
from linerate.reports.words import Words

COLUMNS_MAX = 3
NAMES_INCHES = 1.3
PANEL_INCHES = 2.6
KEY_INCHES = 1.1
COST = "Time of one operation (ns)"
TICKS_NS = (-1000, -100, -10, -1, 0, 1, 10, 100, 1000, 10000, 100000)
"""Where a cost lies within the noise, its difference may be negative."""


@styled()
def operations_by_kind(table: pd.DataFrame, words: Words) -> Figure:
    """Draw the time of one operation: a row for each kind, colours by their number."""
    told = varying(table, ("datapath", *LOAD), within=("kind", "times"))
    found = conditions(table, told, words)
    kinds = list(table["kind"].unique())
    counts = sorted(table["times"].unique())
    most = int(table.groupby("kind")["times"].nunique().max())
    figure = Figure(figsize=(NAMES_INCHES + len(found) * PANEL_INCHES + KEY_INCHES,
                             len(kinds) * row_inches(most) + 0.9))  # fmt: skip
    panes = figure.subplots(1, len(found), sharex=True, sharey=True, squeeze=False)[0]
    for axes, (name, rows) in zip(panes, found, strict=True):
        axes.set_title(name or condition(rows.iloc[0], ("datapath",), words))
        for index, count in enumerate(counts):
            own = rows[rows["times"] == count]
            y = [kinds.index(kind) + _shift(count, rows[rows["kind"] == kind])
                 for kind in own["kind"]]  # fmt: skip
            dots(axes, own, y, "ns", index)
        named_rows(axes, [printable(kind) for kind in kinds])
        _cost_axis(axes, "x", table, words)
    figure.supxlabel(words(COST), fontsize="medium")
    names = [words("{n} a packet", n=words.number(count)) for count in counts]
    figure.legend(handles=dots_key(names), alignment="left", loc="outside right upper")
    return figure


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


def _shift(count: float, of_kind: pd.DataFrame) -> float:
    """Spread a kind's own counts over its row."""
    there = sorted(of_kind["times"].unique())
    return offset(there.index(count), len(there))


def _kinds(table: pd.DataFrame) -> list[str]:
    return [printable(kind) for kind in sorted(table["kind"].unique())]


def _drawn(table: pd.DataFrame, x: str, words: Words) -> Panels:
    """One panel for each hook and load."""
    told = varying(table, ("datapath", *LOAD), within=("kind", x))
    found = conditions(table, told, words)
    columns = min(COLUMNS_MAX, len(found))
    grid = panels(-(-len(found) // columns), columns)
    grid.keep(len(found))
    kinds = sorted(table["kind"].unique())
    for axes, (name, rows) in zip(grid.axes.flat, found, strict=False):
        axes.set_title(name or condition(rows.iloc[0], ("datapath",), words))
        for index, kind in enumerate(kinds):
            own = rows[rows["kind"] == kind]
            line(axes, own, x, "ns", color=colour(index), linewidth=0.6)
            bars(axes, own, x, "ns", color=colour(index), marker=mark(index))
        _cost_axis(axes, "y", table, words)
    return grid


def _cost_axis(axes: Axes, which: Literal["x", "y"], table: pd.DataFrame, words: Words) -> None:
    if float(table["min_ns"].min()) > 0.0:
        if which == "x":
            axes.set_xlim(0.8 * float(table["min_ns"].min()), 1.25 * float(table["max_ns"].max()))
        log_axis(axes, which, words)
        return
    axis, scale = (axes.xaxis, axes.set_xscale) if which == "x" else (axes.yaxis, axes.set_yscale)
    scale("symlog", linthresh=1.0, linscale=0.5)
    axis.set_major_locator(FixedLocator(list(TICKS_NS)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(ticks(words))
