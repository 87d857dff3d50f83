"""Latency and CPU use against offered load."""

from __future__ import annotations

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from linerate.reports.conditions import conditions, varying
from linerate.reports.figures.panels import Panels, bars, by_path_and_queues, line, of, panels
from linerate.reports.figures.panels import path_rows as paths_of
from linerate.reports.sections import path_name
from linerate.reports.style import (
    LINE_RATE,
    ORDERED_COLOURS,
    accesses_axis,
    colour,
    key_line,
    key_mark,
    key_measured,
    log_axis,
    marker,
    styled,
    ticks,
)
from linerate.reports.words import Words

PANEL = ["datapath", "program", "memory_accesses", "queues", "frame_bytes"]
PANEL_OF_ACCESSES = ("datapath", "program", "queues", "link_gbps", "frame_bytes")
COLUMNS_MAX = 3
STATISTICS = ("p50", "mean", "p99")
ARRIVALS = ("constant", "poisson", "burst", "flood", "")
"""In the order of their marks; nothing where the table does not say."""
CPU = "CPU use of the queues' cores (%)"
OFFERED = "Offered load (Mpps)"


@styled()
def latency_by_load(table: pd.DataFrame, words: Words) -> Figure:
    """Draw latency over offered load: colours by statistic, marks by arrivals."""
    grid, found = _by_load(table, words)
    for axes, rows in found:
        for index, statistic in enumerate(STATISTICS):
            for arrivals in rows["arrivals"].dropna().unique():
                own = of(rows, "measured", statistic=statistic, arrivals=arrivals)
                bars(axes, own, "offered_mpps", "latency_us", color=colour(index),
                     marker=marker(ARRIVALS.index(arrivals)))  # fmt: skip
        line(axes, of(rows, "model"), "offered_mpps", "latency_us", color=colour(1))
        for capacity in of(rows, "capacity")["offered_mpps"]:
            axes.axvline(capacity, **LINE_RATE)  # type: ignore[arg-type]
        log_axis(axes, "y", words)
        axes.xaxis.set_major_formatter(ticks(words))
    grid.label(words(OFFERED), words("Latency (µs)"), _latency_key(table, words))
    return grid.figure


@styled()
def cpu_by_load(table: pd.DataFrame, words: Words) -> Figure:
    """Draw CPU use over offered load: marks by arrivals."""
    grid, found = _by_load(table, words)
    shown = _percent(table, "cpu_busy_ratio")
    for axes, rows in found:
        own = shown.loc[rows.index]
        for arrivals in own["arrivals"].dropna().unique():
            bars(axes, of(own, "measured", arrivals=arrivals), "offered_mpps", "cpu_busy_ratio",
                 color=colour(0), marker=marker(ARRIVALS.index(arrivals)))  # fmt: skip
        line(axes, of(own, "model"), "offered_mpps", "cpu_busy_ratio", color=colour(1))
        axes.set_ylim(0.0, 105.0)
        axes.xaxis.set_major_formatter(ticks(words))
    key = _arrivals_key(table, words)
    if (table["series"] == "model").any():
        key.append(key_line(words("model"), color=colour(1)))
    grid.label(words(OFFERED), words(CPU), key)
    return grid.figure


@styled()
def latency_by_accesses(table: pd.DataFrame, words: Words) -> Figure:
    """Draw latency over accesses at line-rate load: colours by statistic."""
    told = varying(table, PANEL_OF_ACCESSES)
    loads = conditions(table, told, words)
    columns = min(COLUMNS_MAX, len(loads))
    grid = panels(-(-len(loads) // columns), columns)
    grid.keep(len(loads))
    for axes, (name, rows) in zip(grid.axes.flat, loads, strict=False):
        axes.set_title(name or path_name(rows["datapath"].iloc[0], rows["program"].iloc[0]))
        for index, statistic in enumerate(STATISTICS):
            for _, own in rows[rows["statistic"] == statistic].groupby("arrivals"):
                drawn = {"color": colour(index)}
                line(axes, own, "memory_accesses", "latency_us", linewidth=0.6, **drawn)
                bars(axes, own, "memory_accesses", "latency_us",
                     marker=marker(ARRIVALS.index(own["arrivals"].iloc[0])), **drawn)  # fmt: skip
        log_axis(axes, "y", words)
        accesses_axis(axes, list(table["memory_accesses"].unique()), words)
    grid.label(words("Memory accesses per packet"), words("Latency (µs)"),
               _latency_key(table, words))  # fmt: skip
    return grid.figure


@styled()
def cpu_by_accesses(table: pd.DataFrame, words: Words) -> Figure:
    """Draw CPU use over accesses at line-rate load: colours by frame size."""
    sizes = sorted(table["frame_bytes"].unique())
    grid, found = by_path_and_queues(table, words)
    shown = _percent(table, "cpu_busy_ratio")
    for axes, rows in found:
        for index, size in enumerate(sizes):
            own = shown.loc[rows.index]
            drawn = {"color": colour(index, ORDERED_COLOURS)}
            line(axes, of(own, "model", frame_bytes=size), "memory_accesses", "cpu_busy_ratio",
                 **drawn)  # fmt: skip
            bars(axes, of(own, "measured", frame_bytes=size), "memory_accesses", "cpu_busy_ratio",
                 marker=marker(index), **drawn)  # fmt: skip
        accesses_axis(axes, list(of(table, "measured")["memory_accesses"].unique()), words)
        axes.set_ylim(0.0, 105.0)
    key: list[Artist] = [
        key_mark(words("{n} B", n=words.number(size)), index, ORDERED_COLOURS)
        for index, size in enumerate(sizes)
    ]
    key.append(key_measured(words("measured,\nsmallest to largest")))
    if (table["series"] == "model").any():
        key.append(key_line(words("model")))
    grid.label(words("Memory accesses per packet"), words(CPU), key)
    return grid.figure


def _by_load(table: pd.DataFrame, words: Words) -> tuple[Panels, list[tuple[Axes, pd.DataFrame]]]:
    """One panel for each path, access count, queue count and frame size."""
    names = paths_of(table)
    order = list(names)
    groups = sorted(
        (rows for _, rows in table.groupby(PANEL)),
        key=lambda rows: (order.index(_pair(rows)), *rows[PANEL[2:]].iloc[0]),
    )
    columns = min(COLUMNS_MAX, len(groups))
    grid = panels(-(-len(groups) // columns), columns, share_x=False)
    found = list(zip(grid.axes.flat, groups, strict=False))
    for axes, rows in found:
        axes.set_title(f"{names[_pair(rows)]}\n{_factors(rows.iloc[0], words)}")
    grid.keep(len(groups))
    return grid, found


def _pair(rows: pd.DataFrame) -> tuple[str, str]:
    return str(rows["datapath"].iloc[0]), str(rows["program"].iloc[0])


def _factors(row: pd.Series, words: Words) -> str:
    return ", ".join([
        words("{n} accesses", n=words.number(row["memory_accesses"])),
        words.queues(int(row["queues"])), words("{n} B", n=words.number(row["frame_bytes"])),
    ])  # fmt: skip


def _percent(table: pd.DataFrame, name: str) -> pd.DataFrame:
    columns = [name, f"min_{name}", f"max_{name}"]
    return table.assign(**{column: 100.0 * table[column] for column in columns})


def _latency_key(table: pd.DataFrame, words: Words) -> list[Artist]:
    there = set(table["statistic"].dropna())
    said = {"p50": words("median"), "mean": words("mean"), "p99": words("99th percentile")}
    key: list[Artist] = [
        Line2D([], [], color=colour(index), marker="o", linestyle="", label=said[statistic])
        for index, statistic in enumerate(STATISTICS) if statistic in there
    ]  # fmt: skip
    key += _arrivals_key(table, words)
    if (table["series"] == "model").any():
        key.append(key_line(words("queueing model: mean"), color=colour(1)))
        key.append(key_line(words("fitted capacity"), **LINE_RATE))
    return key


def _arrivals_key(table: pd.DataFrame, words: Words) -> list[Artist]:
    said = {
        "constant": words("evenly spaced"), "poisson": words("Poisson arrivals"),
        "burst": words("in bursts"), "flood": words("flooded"), "": words("measured"),
    }  # fmt: skip
    there = set(table["arrivals"].dropna())
    return [
        Line2D([], [], color="#333333", marker=marker(index), linestyle="", label=said[arrivals])
        for index, arrivals in enumerate(ARRIVALS) if arrivals in there
    ]  # fmt: skip
