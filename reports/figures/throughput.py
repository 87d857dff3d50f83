"""Throughput against accesses, frame size and queues."""

from __future__ import annotations

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from linerate.reports.figures.panels import (
    bars,
    by_path_and_queues,
    line,
    of,
    panels,
    path_rows,
)
from linerate.reports.style import (
    COLOURS,
    GREY,
    IDEAL,
    LINE_RATE,
    ORDERED_COLOURS,
    accesses_axis,
    colour,
    key_line,
    key_mark,
    key_measured,
    log_axis,
    marker,
    queues_axis,
    sizes_axis,
    styled,
)
from linerate.reports.words import Words

THROUGHPUT = "Throughput (Mpps)"
ACCESSES = "Memory accesses per packet"


@styled()
def throughput_by_accesses(table: pd.DataFrame, words: Words) -> Figure:
    """Draw throughput over accesses: panels by path and queues, colours by frame size."""
    sizes = sorted(table["frame_bytes"].unique())
    grid, found = by_path_and_queues(table, words)
    for axes, rows in found:
        for index, size in enumerate(sizes):
            _line_rate_named(axes, of(rows, "line_rate", frame_bytes=size), words,
                             below=index == len(sizes) - 1)  # fmt: skip
            _measured_and_model(axes, rows[rows["frame_bytes"] == size], "memory_accesses", index)
        log_axis(axes, "y", words)
        accesses_axis(axes, list(of(table, "measured")["memory_accesses"].unique()), words)
    names = [words("{n} B", n=words.number(size)) for size in sizes]
    grid.label(words(ACCESSES), words(THROUGHPUT),
               _key(table, words, names, words("line rate,\nby frame size")))  # fmt: skip
    return grid.figure


@styled()
def throughput_by_frame_size(table: pd.DataFrame, words: Words) -> Figure:
    """Draw throughput over frame size: panels by path and queues, colours by accesses."""
    counts = sorted(table["memory_accesses"].dropna().unique())
    grid, found = by_path_and_queues(table, words)
    for axes, rows in found:
        line(axes, of(rows, "line_rate"), "frame_bytes", "mpps", **LINE_RATE)
        for index, count in enumerate(counts):
            _measured_and_model(axes, rows[rows["memory_accesses"] == count], "frame_bytes", index)
        log_axis(axes, "y", words)
        sizes_axis(axes, list(of(table, "measured")["frame_bytes"].unique()), words)
    names = [words("{n} accesses", n=words.number(count)) for count in counts]
    grid.label(words("Frame size (B, with FCS)"), words(THROUGHPUT),
               _key(table, words, names, words("line rate")))  # fmt: skip
    return grid.figure


@styled()
def queue_scaling(table: pd.DataFrame, words: Words) -> Figure:
    """Draw throughput over queues: panels by accesses, colours by path."""
    counts = sorted(table["memory_accesses"].unique())
    names = path_rows(table[table["series"] == "measured"])
    grid = panels(1, len(counts))
    for axes, count in zip(grid.axes[0], counts, strict=True):
        rows = table[table["memory_accesses"] == count]
        axes.set_title(words("{n} accesses", n=words.number(count)))
        line(axes, of(rows, "line_rate"), "queues", "mpps", **LINE_RATE)
        for index, (datapath, program) in enumerate(names):
            own = rows[(rows["datapath"] == datapath) & (rows["program"] == program)]
            line(axes, of(own, "ideal"), "queues", "mpps", **IDEAL)
            _measured_and_model(axes, own, "queues", index, COLOURS)
        log_axis(axes, "y", words)
        queues_axis(axes, list(of(table, "measured")["queues"].unique()), words)
    key: list[Artist] = [key_mark(name, index) for index, name in enumerate(names.values())]
    key += _common_key(table, words, words("line rate"))
    key.append(key_line(words("ideal: linear"), **IDEAL))
    grid.label(words("Queues, one core each"), words(THROUGHPUT), key)
    return grid.figure


def _measured_and_model(
    axes: Axes, rows: pd.DataFrame, x: str, index: int, palette: tuple[str, ...] = ORDERED_COLOURS
) -> None:
    line(axes, of(rows, "model"), x, "mpps", color=colour(index, palette))
    bars(axes, of(rows, "measured"), x, "mpps", color=colour(index, palette), marker=marker(index))


def _line_rate_named(axes: Axes, rows: pd.DataFrame, words: Words, *, below: bool) -> None:
    if rows.empty:
        return
    line(axes, rows, "memory_accesses", "mpps", **LINE_RATE)
    last = rows.sort_values("memory_accesses").iloc[-1]
    axes.annotate(
        words("{n} B", n=words.number(last["frame_bytes"])),
        xy=(1.0, last["mpps"]),
        xycoords=axes.get_yaxis_transform(),
        xytext=(-1, -1 if below else 1),
        textcoords="offset points",
        ha="right",
        va="top" if below else "bottom",
        fontsize=5.5,
        color=GREY,
    )


def _key(table: pd.DataFrame, words: Words, names: list[str], line_rate: str) -> list[Artist]:
    key: list[Artist] = [key_mark(name, index, ORDERED_COLOURS) for index, name in enumerate(names)]
    return key + _common_key(table, words, line_rate)


def _common_key(table: pd.DataFrame, words: Words, line_rate: str) -> list[Artist]:
    key: list[Artist] = [key_measured(words("measured,\nsmallest to largest"))]
    if (table["series"] == "model").any():
        key.append(key_line(words("model")))
    if (table["series"] == "line_rate").any():
        key.append(key_line(line_rate, **LINE_RATE))
    return key
