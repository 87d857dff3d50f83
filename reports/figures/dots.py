"""Rows of named dots: things without an order of their own, compared side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from linerate.reports.style import COLOURS, MARKERS, colour, log_axis, ticks
from linerate.reports.words import Words

ROW_INCHES = 0.21
CONDITION_INCHES = 0.07
"""More room in each row for every condition beside the first."""
SPREAD = 0.62
"""Share of a row over which its conditions are spread."""
DECADES_MIN = 1.3
"""Rates that span more are drawn by their logarithm."""


def row_inches(conditions: int) -> float:
    """Height of one row with so many dots in it."""
    return ROW_INCHES + CONDITION_INCHES * (conditions - 1)


def offset(index: int, count: int) -> float:
    """Where in its row the index-th of so many dots lies."""
    return SPREAD * ((index + 0.5) / count - 0.5)


def mark(index: int) -> str:
    """Mark of the index-th condition: another one once the colours repeat."""
    return MARKERS[(index + index // len(COLOURS)) % len(MARKERS)]


def dots(axes: Axes, rows: pd.DataFrame, y: Sequence[float], name: str, index: int) -> None:
    """Draw medians from left to right with bars from the smallest to the largest run."""
    if rows.empty:
        return
    middle = rows[name].to_numpy(dtype=float)
    reach = np.stack([middle - rows[f"min_{name}"].to_numpy(dtype=float),
                      rows[f"max_{name}"].to_numpy(dtype=float) - middle])  # fmt: skip
    axes.errorbar(middle, y, xerr=reach, linestyle="", marker=mark(index), color=colour(index),
                  elinewidth=0.8, zorder=3, clip_on=False)  # fmt: skip


def named_rows(axes: Axes, names: Sequence[str]) -> None:
    """Name the rows of a panel, the first at the top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)


def rates_axis(axes: Axes, values: pd.Series, words: Words) -> None:
    """From zero, or logarithmic where the values are too far apart to be seen beside each other."""
    positive = values[values > 0.0]
    if len(positive) and np.log10(positive.max() / positive.min()) > DECADES_MIN:
        axes.set_xlim(0.8 * float(positive.min()), 1.25 * float(positive.max()))
        log_axis(axes, "x", words)
    else:
        axes.set_xlim(0.0, 1.08 * float(values.max()) or 1.0)
        axes.xaxis.set_major_formatter(ticks(words))


def dots_key(names: Sequence[str]) -> list[Artist]:
    """Legend entries of conditions."""
    return [
        Line2D([], [], color=colour(index), marker=mark(index), linestyle="", label=name)
        for index, name in enumerate(names)
    ]
