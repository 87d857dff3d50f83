"""Searches: bounds as intervals, and latency over the load that is carried."""

from __future__ import annotations

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from linerate.reports.conditions import condition, conditions, varying
from linerate.reports.figures.dots import named_rows, offset, rates_axis, row_inches
from linerate.reports.figures.load import ARRIVALS
from linerate.reports.figures.panels import Panels, bars, line, panels
from linerate.reports.sections import path_name
from linerate.reports.style import GREY, colour, key_line, log_axis, marker, styled, ticks, wrapped
from linerate.reports.tables.searches import CELL, GOALS, STATISTICS
from linerate.reports.words import Words

NAMES_INCHES = 2.2
PANEL_INCHES = 3.4
KEY_INCHES = 1.7
COLUMNS_MAX = 3
OWN_LOAD = ("arrivals", "burst_packets")
"""What a curve varies within a cell."""


@styled()
def search_bounds(table: pd.DataFrame, words: Words) -> Figure:
    """Draw each search of each cell as the interval between its bounds, colours by goal."""
    told = varying(table, CELL)
    cells = conditions(table, told, words)
    goals = [goal for goal in GOALS if goal in set(table["goal"])]
    slots = int(table.groupby(list(CELL), dropna=False).size().max())
    figure = Figure(figsize=(NAMES_INCHES + PANEL_INCHES + KEY_INCHES,
                             0.8 + len(cells) * row_inches(slots)))  # fmt: skip
    axes = figure.subplots()
    for place, (_, rows) in enumerate(cells):
        ordered = rows.assign(rank=rows["goal"].map(GOALS.index)).sort_values(
            ["rank", "repetition"]
        )
        for number, (_, row) in enumerate(ordered.iterrows()):
            y = place + offset(number, len(ordered))
            _found(axes, row, y, colour(goals.index(row["goal"])))
    first = table.iloc[0]
    named_rows(axes, [name or path_name(first["datapath"], first["program"]) for name, _ in cells])
    ends = ("lower_mpps", "upper_mpps", "mrr_min_mpps", "mrr_max_mpps")
    rates_axis(axes, pd.concat([table[end].dropna() for end in ends]), words)
    axes.set_xlabel(words("Load (Mpps)"))
    figure.legend(handles=_key(table, goals, words), alignment="left", loc="outside right upper")
    return figure


def _found(axes: Axes, row: pd.Series, y: float, drawn: str) -> None:
    """Draw an interval with its ends, and an arrow where one of them was not found."""
    lower, upper = row["lower_mpps"], row["upper_mpps"]
    if row["goal"] == "mrr":
        ends = [[row["mrr_mpps"] - row["mrr_min_mpps"]], [row["mrr_max_mpps"] - row["mrr_mpps"]]]
        axes.errorbar([row["mrr_mpps"]], [y], xerr=ends, marker="D", markersize=3.0, color=drawn,
                      elinewidth=0.8, zorder=3)  # fmt: skip
        return
    found = [end for end in (lower, upper) if pd.notna(end)]
    axes.plot(found, [y] * len(found), color=drawn, marker="|", markersize=5.0, linewidth=2.2,
              solid_capstyle="butt", zorder=3)  # fmt: skip
    if len(found) == 1:
        axes.plot(found, [y], color=drawn, marker=">" if pd.notna(lower) else "<",
                  markersize=4.5, zorder=3)  # fmt: skip


def _key(table: pd.DataFrame, goals: list[str], words: Words) -> list[Artist]:
    said = {
        "ndr": words("NDR: nothing lost"), "pdr": words("PDR: little lost"),
        "throughput": words("throughput (RFC 2544)"), "mrr": words("MRR: received at most"),
    }  # fmt: skip
    key: list[Artist] = [
        Line2D([], [], color=colour(index), label=said[goal],
               **({"marker": "D", "linestyle": "", "markersize": 3.0} if goal == "mrr"
                  else {"marker": "|", "linewidth": 2.2}))  # type: ignore[arg-type]
        for index, goal in enumerate(goals)
    ]  # fmt: skip
    bounded = table[table["goal"] != "mrr"]
    for end, arrow, name in (("upper_mpps", ">", words("no upper bound found")),
                             ("lower_mpps", "<", words("no lower bound found"))):  # fmt: skip
        if bounded[end].isna().any():
            key.append(Line2D([], [], color=GREY, marker=arrow, linestyle="", label=name))
    return key


@styled()
def load_latency(table: pd.DataFrame, words: Words) -> Figure:
    """Draw latency over the share of the load that is carried: colours by quantile."""
    grid, found = _by_cell(table, words)
    for axes, rows in found:
        for index, statistic in enumerate(STATISTICS):
            _curves(axes, rows[rows["statistic"] == statistic], "latency_us", index)
        log_axis(axes, "y", words)
    said = {"p50": words("median"), "p99": words("99th percentile")}
    key: list[Artist] = [
        key_line(said[statistic], color=colour(index))
        for index, statistic in enumerate(STATISTICS)
        if statistic in set(table["statistic"])
    ]
    grid.label(words("Load (% of the highest that was carried)"), words("Latency (µs)"),
               [*key, *_arrivals_key(table, words)])  # fmt: skip
    return grid.figure


@styled()
def frame_loss(table: pd.DataFrame, words: Words) -> Figure:
    """Draw the share of lost frames over the share of the highest load."""
    grid, found = _by_cell(table, words)
    for axes, rows in found:
        _curves(axes, rows, "loss_percent", 0)
        axes.set_ylim(-3.0, 103.0)
        axes.yaxis.set_major_formatter(ticks(words))
    grid.label(words("Load (% of the highest of the search)"), words("Lost frames (%)"),
               _arrivals_key(table, words))  # fmt: skip
    return grid.figure


def _by_cell(table: pd.DataFrame, words: Words) -> tuple[Panels, list[tuple[Axes, pd.DataFrame]]]:
    """One panel for each cell that was searched."""
    cells = conditions(
        table, varying(table, [name for name in CELL if name not in OWN_LOAD]), words
    )
    columns = min(COLUMNS_MAX, len(cells))
    grid = panels(-(-len(cells) // columns), columns)
    grid.keep(len(cells))
    found = []
    for axes, (name, rows) in zip(grid.axes.flat, cells, strict=False):
        first = rows.iloc[0]
        axes.set_title(wrapped(name or path_name(first["datapath"], first["program"])))
        axes.xaxis.set_major_formatter(ticks(words))
        found.append((axes, rows))
    return grid, found


def _curves(axes: Axes, rows: pd.DataFrame, y: str, index: int) -> None:
    """Join the loads of each arrival process."""
    for _, own in rows.groupby(list(OWN_LOAD), dropna=False):
        line(axes, own, "load_percent", y, color=colour(index), linewidth=0.6)
        bars(axes, own, "load_percent", y, color=colour(index),
             marker=marker(ARRIVALS.index(own["arrivals"].iloc[0])))  # fmt: skip


def _arrivals_key(table: pd.DataFrame, words: Words) -> list[Artist]:
    there = set(table["arrivals"])
    return [
        Line2D([], [], color="#333333", marker=marker(index), linestyle="",
               label=condition(pd.Series({"arrivals": arrivals}), ["arrivals"], words))
        for index, arrivals in enumerate(ARRIVALS) if arrivals in there
    ]  # fmt: skip
