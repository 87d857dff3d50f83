"""DPDK's pipelines: throughput over operations, frame size, burst and lcores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

from linerate.reports.conditions import LOAD, PIPELINE, condition, conditions, varying
from linerate.reports.figures.dots import dots_key, mark
from linerate.reports.figures.panels import Panels, bars, line, panels
from linerate.reports.operation_names import short_kind
from linerate.reports.style import (
    COLOURS,
    ORDERED_COLOURS,
    colour,
    doubling_axis,
    log_axis,
    styled,
    ticks,
    wrapped,
)
from linerate.reports.tables.pipelines import ARITHMETIC, FAMILIES
from linerate.reports.words import Words

COLUMNS_MAX = 3
THROUGHPUT = "Throughput (Mpps)"
KEY_LINE_INCHES = 0.17
KEY_KINDS_MAX = 7
"""A longer key stands in two columns, below where throughput has fallen little yet."""
FAMILY_INCHES = (2.5, 2.3)


@styled()
def pipeline_operations(table: pd.DataFrame, words: Words) -> Figure:
    """Draw throughput over the operations of a packet: a panel for each family, its key in it."""
    order = [*FAMILIES.values(), ARITHMETIC]
    there = set(table["family"])
    families = [family for family in order if family in there]
    columns = min(COLUMNS_MAX, len(families))
    rows = -(-len(families) // columns)
    width, height = FAMILY_INCHES
    figure = Figure(figsize=(columns * width + 0.6, rows * height + 0.5))
    panes = figure.subplots(rows, columns, sharey=True, squeeze=False)
    for axes in panes.flat[len(families) :]:
        axes.set_axis_off()
    for axes, family in zip(panes.flat, families, strict=False):
        own = table[table["family"] == family]
        axes.set_title(words(family))
        kinds = list(own.groupby("kind")["mpps"].min().sort_values(ascending=False).index)
        for index, kind in enumerate(kinds):
            of_kind = own[own["kind"] == kind]
            _marked(axes, of_kind, ("times", "mpps"), index)
        axes.xaxis.set_major_locator(_counts())
        many = len(kinds) > KEY_KINDS_MAX
        axes.legend(handles=_joined(dots_key([short_kind(kind) for kind in kinds])),
                    fontsize="x-small", ncols=2 if many else 1, columnspacing=0.8,
                    loc="lower left" if many else "best")  # fmt: skip
    log_axis(panes.flat[0], "y", words)
    figure.supxlabel(words("Operations a packet"), fontsize="medium")
    figure.supylabel(words(THROUGHPUT), fontsize="medium")
    return figure


@styled()
def pipeline_sizes(table: pd.DataFrame, words: Words) -> Figure:
    """Draw throughput over frame size: a panel for each kind, colours by their number."""
    kinds = sorted(table["kind"].unique())
    grid = _grid_of(len(kinds))
    counts = sorted(table["times"].unique())
    for axes, kind in zip(grid.axes.flat, kinds, strict=False):
        axes.set_title(short_kind(kind))
        for index, count in enumerate(counts):
            own = table[(table["kind"] == kind) & (table["times"] == count)]
            _marked(axes, own, ("frame_bytes", "mpps"), index, ORDERED_COLOURS)
        doubling_axis(axes, list(table["frame_bytes"].unique()), words, words.number)
    grid.axes.flat[0].set_ylim(0.0, 1.08 * float(table["max_mpps"].max()))
    names = [words("{n} a packet", n=words.number(count)) for count in counts]
    grid.label(words("Frame size (B, with FCS)"), words(THROUGHPUT),
               _joined(dots_key(names), ORDERED_COLOURS))  # fmt: skip
    return grid.figure


@styled()
def pipeline_bursts(table: pd.DataFrame, words: Words) -> Figure:
    """Draw throughput, and latency where there is any, over the burst."""
    latency = table[table["statistic"] != "mpps"]
    statistics = [["mpps"]] + ([["p50", "p99"]] if len(latency) else [])
    grid = panels(1, len(statistics), share_y="col")
    told = varying(table, ("program", *LOAD, "operations", *_but("pipeline_burst_packets")),
                   within=("statistic", "pipeline_burst_packets"))  # fmt: skip
    found = conditions(table, told, words)
    names = [_named(rows.iloc[0], told, words) for _, rows in found]
    for axes, shown in zip(grid.axes.flat, statistics, strict=True):
        for index, (_, rows) in enumerate(found):
            for statistic in shown:
                own = rows[rows["statistic"] == statistic]
                draw = _dashed if statistic == "p99" else _marked
                draw(axes, own, ("pipeline_burst_packets", "value"), index)
        _bursts_axis(axes, table, words)
        of_latency = shown != ["mpps"]
        axes.set_ylabel(words("Latency (µs)" if of_latency else THROUGHPUT))
        if of_latency:
            log_axis(axes, "y", words)
        else:
            axes.set_ylim(bottom=0.0)
    key = _joined(dots_key(names)) if any(names) else []
    if len(latency):
        key = [*key, *_statistics_key(words)]
    grid.figure.supxlabel(words("Packets taken at once"), fontsize="medium")
    if key:
        grid.figure.legend(handles=key, alignment="left", loc="outside right upper")
    return grid.figure


@styled()
def pipeline_lcores(table: pd.DataFrame, words: Words) -> Figure:
    """Draw throughput over lcores: a panel for each program; open marks where they share cores."""
    factors = ("program", "operations", "frame_bytes", "flows", *_but("oversubscribed"))
    told = varying(table, factors, within=("queues", "oversubscribed"))
    programs = [name for name in told if name in ("program", "operations")]
    others = [name for name in told if name not in programs]
    found, names = conditions(table, programs, words), _names(table, others, words)
    grid = _grid_of(len(found))
    for axes, (name, rows) in zip(grid.axes.flat, found, strict=False):
        axes.set_title(wrapped(name))
        for told_of, own in conditions(rows, others, words):
            _lcores(axes, own, names.index(told_of))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlim(table["queues"].min() - 0.2, table["queues"].max() + 0.2)
    log_axis(grid.axes.flat[0], "y", words)
    key = _joined(dots_key(names)) if any(names) else []
    lines = len(key) + 2
    grid.figure.set_figheight(max(grid.figure.get_figheight(), KEY_LINE_INCHES * lines))
    if "yes" in set(table["oversubscribed"]):
        key.append(Line2D([], [], color="#333333", marker="o", markerfacecolor="white",
                          linestyle="", label=words("lcores share cores")))  # fmt: skip
    grid.label(words("lcores"), words(THROUGHPUT), key)
    return grid.figure


def _names(table: pd.DataFrame, told: Sequence[str], words: Words) -> list[str]:
    return list(dict.fromkeys(name for name, _ in conditions(table, told, words)))


def _lcores(axes: Axes, rows: pd.DataFrame, index: int) -> None:
    line(axes, rows, "queues", "mpps", color=colour(index), linewidth=0.6)
    for sharing, fill in (("no", colour(index)), ("yes", "white"), ("", colour(index))):
        own = rows[rows["oversubscribed"] == sharing]
        bars(axes, own, "queues", "mpps", color=colour(index), marker=mark(index),
             markerfacecolor=fill)  # fmt: skip


def _counts() -> MaxNLocator:
    return MaxNLocator(5, integer=True, steps=[1, 2, 5, 10])


def _grid_of(count: int) -> Panels:
    columns = min(COLUMNS_MAX, count)
    grid = panels(-(-count // columns), columns, share_x=False)
    grid.keep(count)
    return grid


def _marked(
    axes: Axes, rows: pd.DataFrame, names: tuple[str, str], index: int,
    palette: Sequence[str] = COLOURS,
) -> None:  # fmt: skip
    drawn = colour(index, palette)
    line(axes, rows, *names, color=drawn, linewidth=0.6)
    bars(axes, rows, *names, color=drawn, marker=mark(index))


def _dashed(axes: Axes, rows: pd.DataFrame, names: tuple[str, str], index: int) -> None:
    line(axes, rows, *names, color=colour(index), linewidth=0.6, linestyle="--")
    bars(axes, rows, *names, color=colour(index), marker=mark(index), markerfacecolor="white")


def _joined(key: Sequence[Artist], palette: Sequence[str] = COLOURS) -> list[Artist]:
    """Give the marks of a key the line that joins them."""
    for index, entry in enumerate(key):
        if isinstance(entry, Line2D):
            entry.set_linestyle("-")
            entry.set_linewidth(0.6)
            entry.set_color(colour(index, palette))
    return list(key)


def _statistics_key(words: Words) -> list[Artist]:
    return [
        Line2D([], [], color="#333333", marker="o", linewidth=0.6, label=words("median")),
        Line2D([], [], color="#333333", marker="o", markerfacecolor="white", linewidth=0.6,
               linestyle="--", label=words("99th percentile")),
    ]  # fmt: skip


def _bursts_axis(axes: Axes, table: pd.DataFrame, words: Words) -> None:
    bursts = sorted(table["pipeline_burst_packets"].unique())
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(list(np.asarray(bursts, dtype=float))))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(ticks(words))


def _but(name: str) -> list[str]:
    return [factor for factor in PIPELINE if factor != name]


def _named(row: pd.Series, told: Sequence[str], words: Words) -> str:
    return condition(row, told, words).replace(", ", "\n")
