"""Predicted latency over measured, of runs that were held out: one panel for each quantity."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from linerate.reports.figures.panels import panels
from linerate.reports.style import GREY, colour, log_axis, marker, styled
from linerate.reports.words import Words

COLUMNS = 2
"""Panels side by side."""


@styled()
def latencies(table: pd.DataFrame, words: Words) -> Figure:
    """Draw each held-out run once for each quantity that was predicted of it.

    Parameters
    ----------
    table
        As the frame of ``LatencyValidation``.
    words
        The reader's language.
    """
    table = table[np.isfinite(table["predicted_us"].to_numpy(dtype=float))]
    quantities, names = list(table["quantity"].unique()), sorted(table["name"].unique())
    columns = min(COLUMNS, len(quantities))
    grid = panels(-(-len(quantities) // columns), columns, share_x=False, share_y="all")
    for axes, quantity in zip(grid.axes.flat, quantities, strict=False):
        rows = table[table["quantity"] == quantity]
        for index, name in enumerate(names):
            _marks(axes, rows[rows["name"] == name], index)
        _equal(axes, table, words)
        axes.set_title(quantity)
    for axes in grid.axes.flat[len(quantities) :]:
        axes.set_visible(False)
    grid.label(words("Measured latency (µs)"), words("Predicted latency (µs)"), _key(names, words))
    return grid.figure


def _marks(axes: Axes, rows: pd.DataFrame, index: int) -> None:
    axes.plot(
        rows["measured_us"].to_numpy(dtype=float), rows["predicted_us"].to_numpy(dtype=float),
        color=colour(index), marker=marker(index), markerfacecolor="white", markersize=2.6,
        markeredgewidth=0.5, linestyle="", zorder=3,
    )  # fmt: skip


def _equal(axes: Axes, table: pd.DataFrame, words: Words) -> None:
    both = table[["measured_us", "predicted_us"]].to_numpy(dtype=float)
    ends = np.array([both.min() * 0.8, both.max() * 1.25])
    axes.plot(ends, ends, color=GREY, linewidth=0.8, zorder=1)
    axes.set_xlim(*ends)
    axes.set_ylim(*ends)
    log_axis(axes, "x", words)
    log_axis(axes, "y", words)


def _key(names: list[str], words: Words) -> list[Artist]:
    return [
        *(
            Line2D([], [], color=colour(index), marker=marker(index), markerfacecolor="white",
                   linestyle="", label=name)
            for index, name in enumerate(names)
        ),
        Line2D([], [], color=GREY, linewidth=0.8, label=words("prediction = measurement")),
    ]  # fmt: skip
