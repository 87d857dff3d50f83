"""AF_XDP: what the settings of a socket are worth."""

from __future__ import annotations

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from linerate.reports.conditions import LOAD, SOCKET, conditions, varying
from linerate.reports.figures.panels import bars, line, panels
from linerate.reports.style import colour, doubling_axis, key_mark, marker, styled, ticks
from linerate.reports.words import Words

COLUMNS_MAX = 3
CLOSE = 0.03
"""Half the width over which the settings of one batch size are spread, in doublings each."""


@styled()
def af_xdp_settings(table: pd.DataFrame, words: Words) -> Figure:
    """Draw throughput over batch size: panels by accesses and load, colours by setting."""
    told = varying(table, SOCKET)
    names = [name for name, _ in conditions(table, told, words)]
    found = conditions(table, [*varying(table, LOAD), "memory_accesses"], words)
    columns = min(COLUMNS_MAX, len(found))
    grid = panels(-(-len(found) // columns), columns)
    grid.keep(len(found))
    for axes, (name, rows) in zip(grid.axes.flat, found, strict=False):
        axes.set_title(name)
        _settings(axes, rows, names, told, words)
        axes.set_ylim(0.0, 1.08 * float(table["max_mpps"].max()))
        axes.yaxis.set_major_formatter(ticks(words))
        doubling_axis(axes, list(table["socket_batch_packets"].unique()), words)
    key: list[Artist] = [key_mark(name or words("measured"), index)
                         for index, name in enumerate(names)]  # fmt: skip
    grid.label(words("Packets of a batch, at most"), words("Throughput (Mpps)"), key)
    return grid.figure


def _settings(
    axes: Axes, rows: pd.DataFrame, names: list[str], told: list[str], words: Words
) -> None:
    """Join the batch sizes of each setting; marks side by side, so that none hides another."""
    for name, own in conditions(rows, told, words):
        if own.empty:
            continue
        index = names.index(name)
        shift = 2.0 ** (CLOSE * (2 * index - len(names) + 1))
        moved = own.assign(socket_batch_packets=own["socket_batch_packets"] * shift)
        drawn = {"color": colour(index), "marker": marker(index)}
        line(axes, moved, "socket_batch_packets", "mpps", color=colour(index), linewidth=0.6)
        bars(axes, moved, "socket_batch_packets", "mpps", **drawn)
