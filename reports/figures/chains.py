"""Service function chains: round-trip time, throughput and loss over their length."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from linerate.reports.conditions import CHAIN, LOAD, condition, conditions, varying
from linerate.reports.figures.panels import bars, line, name_row, of, panels
from linerate.reports.style import colour, key_line, marker, styled, ticks
from linerate.reports.words import Words

KIND = ("chain_function", "chain_topology")
OTHERS = tuple(name for name in (*CHAIN, *LOAD) if name not in KIND)
COLUMNS_MAX = 3
LENGTH = "Service functions in the chain"
DASHES = {"hub": (0, (3, 1.5))}


@styled()
def chain_rtt(table: pd.DataFrame, words: Words) -> Figure:
    """Draw round-trip time over length: colours by function, open marks through a hub."""
    found = conditions(table, varying(table, OTHERS, within=KIND), words)
    columns = min(COLUMNS_MAX, len(found))
    grid = panels(-(-len(found) // columns), columns)
    grid.keep(len(found))
    highest_us = table[["rtt_us", "max_rtt_us"]].to_numpy(dtype=np.float64)
    for axes, (name, rows) in zip(grid.axes.flat, found, strict=False):
        axes.set_title(name)
        _drawn(axes, rows, table, "rtt_us")
        _axes(axes, words)
        axes.set_ylim(0.0, 1.05 * float(np.nanmax(highest_us)))
    key = _key(table, words)
    if (table["series"] == "line").any():
        key.append(key_line(words("least squares")))
    grid.label(words(LENGTH), words("Round-trip time (µs)"), key)
    return grid.figure


@styled()
def chain_rate(table: pd.DataFrame, words: Words) -> Figure:
    """Draw throughput and loss over length, a row of panels for each load."""
    found = conditions(table, varying(table, OTHERS, within=KIND), words)
    grid = panels(len(found), 2, share_y="col")
    for (left, right), (name, rows) in zip(grid.axes, found, strict=True):
        _drawn(left, rows, table, "mpps", joined=True)
        _drawn(right, rows, table, "loss_percent", joined=True)
        name_row(right, name)
        for axes in (left, right):
            _axes(axes, words)
    _own_scales(grid.axes, table)
    grid.axes[0, 0].set_title(words("Throughput (Mpps)"))
    grid.axes[0, 1].set_title(words("Lost packets (%)"))
    grid.label(words(LENGTH), "", _key(table, words))
    return grid.figure


def _own_scales(axes: np.ndarray, table: pd.DataFrame) -> None:
    for left, right in axes:
        left.set_ylim(0.0, 1.08 * float(table["max_mpps"].max()) or 1.0)
        right.set_ylim(-3.0, 103.0)


def _kinds(table: pd.DataFrame) -> list[tuple[int, str, str]]:
    """Index of the colour, function and topology of each kind of chain."""
    pairs = table[list(KIND)].drop_duplicates().sort_values(list(KIND))
    functions = list(dict.fromkeys(pairs["chain_function"]))
    return [
        (functions.index(function), function, topology)
        for function, topology in pairs.itertuples(index=False, name=None)
    ]


def _drawn(
    axes: Axes, rows: pd.DataFrame, table: pd.DataFrame, name: str, *, joined: bool = False
) -> None:
    """Draw each kind of chain with its fitted line, or with its marks joined."""
    for index, function, topology in _kinds(table):
        own = rows[(rows["chain_function"] == function) & (rows["chain_topology"] == topology)]
        line(axes, of(own, "measured" if joined else "line"), "chain_length", name,
             color=colour(index), linewidth=0.6 if joined else 1.2,
             linestyle=DASHES.get(topology, "-"))  # fmt: skip
        bars(axes, of(own, "measured"), "chain_length", name, **_style(index, topology))


def _style(index: int, topology: str) -> dict[str, object]:
    return {
        "color": colour(index), "marker": marker(index),
        "markerfacecolor": "white" if topology == "hub" else colour(index),
    }  # fmt: skip


def _axes(axes: Axes, words: Words) -> None:
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.xaxis.set_major_formatter(ticks(words))
    axes.yaxis.set_major_formatter(ticks(words))


def _key(table: pd.DataFrame, words: Words) -> list[Artist]:
    key: list[Artist] = []
    for index, function, topology in _kinds(table):
        row = pd.Series({"chain_function": function, "chain_topology": topology})
        key.append(
            Line2D([], [], label=condition(row, KIND, words),
                   linestyle=DASHES.get(topology, "-"), **_style(index, topology))  # type: ignore[arg-type]
        )  # fmt: skip
    return key
