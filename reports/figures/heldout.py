"""Predictions for cells not seen, against what was measured."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, NullLocator

from linerate.reports.figures.panels import path_rows
from linerate.reports.style import GREY, colour, log_axis, marker, styled, ticks
from linerate.reports.words import Words

LINEAR_PERCENT = 10.0
"""Errors up to here are drawn to scale, larger ones by their logarithm."""
TICKS_PERCENT = (-90, -50, -20, -10, -5, 0, 5, 10, 20, 50, 100, 200, 500, 1000)
MANY = 60
"""Cells of one path from which marks are smaller and intervals paler."""
BAND: dict[str, Any] = {"color": "#d9d9d9", "zorder": 0, "linewidth": 0}


@styled()
def held_out(table: pd.DataFrame, words: Words) -> Figure:
    """Draw predicted over measured, and the error with its interval beside the noise floor."""
    figure = Figure(figsize=(7.6, 3.3))
    left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.15))
    floor = float(table["noise_floor_percent"].iloc[0])
    names = path_rows(table)
    for index, (datapath, program) in enumerate(names):
        rows = table[(table["datapath"] == datapath) & (table["program"] == program)]
        _open_marks(left, rows, ("predicted_mpps", "lower_mpps", "upper_mpps"), index)
        _open_marks(right, rows, ("error_percent", "lower_percent", "upper_percent"), index)
    _equal(left, table, floor, words)
    _errors(right, float(np.nanmax(np.abs(table[["lower_percent", "upper_percent"]]))), words)
    if np.isfinite(floor):
        right.axhspan(-floor, floor, **BAND)
    left.set_ylabel(words("Predicted throughput (Mpps)"))
    right.set_ylabel(words("Error of the prediction (%)"))
    for axes in (left, right):
        axes.set_xlabel(words("Measured throughput (Mpps)"))
    figure.legend(handles=_key(list(names.values()), floor, words), loc="outside upper center",
                  ncols=3)  # fmt: skip
    return figure


def _open_marks(axes: Axes, rows: pd.DataFrame, columns: tuple[str, str, str], index: int) -> None:
    middle, lower, upper = (rows[name].to_numpy(dtype=float) for name in columns)
    many = len(rows) > MANY
    _, _, intervals = axes.errorbar(
        rows["measured_mpps"].to_numpy(dtype=float), middle,
        yerr=np.maximum([middle - lower, upper - middle], 0.0), color=colour(index),
        marker=marker(index), markerfacecolor="white", markersize=2.6 if many else 4.0,
        markeredgewidth=0.5 if many else 0.8, linestyle="", elinewidth=0.5, capsize=0.0, zorder=3,
    )  # fmt: skip
    for interval in intervals:
        interval.set(alpha=0.3 if many else 0.7, zorder=2)


def _equal(axes: Axes, table: pd.DataFrame, floor: float, words: Words) -> None:
    """Draw the diagonal with the noise floor around it."""
    ends = np.array([table["measured_mpps"].min() * 0.8, table["measured_mpps"].max() * 1.25])
    axes.plot(ends, ends, color=GREY, linewidth=0.8, zorder=1)
    if np.isfinite(floor):
        axes.fill_between(ends, ends * (1 - floor / 100), ends * (1 + floor / 100), **BAND)
    axes.set_xlim(*ends)
    log_axis(axes, "x", words)
    log_axis(axes, "y", words)


def _errors(axes: Axes, largest: float, words: Words) -> None:
    """Scale the errors' axis: small ones evenly, large ones by their logarithm."""
    axes.axhline(0.0, color=GREY, linewidth=0.8, zorder=1)
    if largest > 2.0 * LINEAR_PERCENT:
        axes.set_yscale("symlog", linthresh=LINEAR_PERCENT, linscale=1.0)
        axes.yaxis.set_major_locator(FixedLocator(list(TICKS_PERCENT)))
        axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(ticks(words))
    log_axis(axes, "x", words)


def _key(names: list[str], floor: float, words: Words) -> list[Artist]:
    key: list[Artist] = [
        Line2D([], [], color=colour(index), marker=marker(index), markerfacecolor="white",
               linestyle="", label=words("{path}, held out, 90 % interval", path=name))
        for index, name in enumerate(names)
    ]  # fmt: skip
    key.append(Line2D([], [], color=GREY, linewidth=0.8, label=words("prediction = measurement")))
    if np.isfinite(floor):
        said = words("± mean noise floor, {percent} %", percent=words.number(floor, 2))
        key.append(Patch(label=said, **BAND))
    return key
