"""Predictions for cells not seen, against what was measured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from linerate.reports.drawing.agreement import EQUAL
from linerate.reports.drawing.axes import announced, log_axis, symlog_axis, ticks
from linerate.reports.drawing.keys import key_band, key_entry
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.paths import colours_of, of_path, path_rows
from linerate.reports.drawing.style import marker, styled
from linerate.reports.figures.errors import error_sentence
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import MEASURED_THROUGHPUT, PREDICTED_THROUGHPUT
from linerate.reports.language import Words, message
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

LAYOUT = Layout(rows=1, columns=2, row_inches=2.7, share_x=False, share_y=False,
                widths=(1.0, 1.15), stacked=True)  # fmt: skip
COLUMNS = ["datapath", "program", "memory_accesses", "queues", "frame_bytes", "runs",
           "measured_mpps", "predicted_mpps", "lower_median_mpps", "upper_median_mpps"]  # fmt: skip
RATES = ("predicted_mpps", "lower_median_mpps", "upper_median_mpps")
ERRORS = ("error_percent", "lower_percent", "upper_percent")
"""Of the prediction and of the ends of its interval, against the measured median."""
LINEAR_PERCENT = 10.0
"""Errors up to here are drawn to scale, larger ones by their logarithm."""
TICKS_PERCENT = (-90, -50, -20, -10, -5, 0, 5, 10, 20, 50, 100, 200, 500, 1000)
MANY = 60
"""Cells of one path from which marks are smaller and intervals paler."""
BAND: dict[str, Any] = {"color": "#d9d9d9", "zorder": 0, "linewidth": 0}


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Each held-out cell with its interval, and the noise floor of medians in every row."""
    if section.validation is None:
        return LeftOut(why=message("too few program loads to hold any out"))
    frame = section.validation.frame[COLUMNS]
    floor = section.validation.scores.noise_floor
    errors = {
        name: 100.0 * (frame[mpps] / frame["measured_mpps"] - 1.0)
        for name, mpps in zip(ERRORS, RATES, strict=True)
    }
    return frame.assign(
        **errors, noise_floor_percent=floor.mean_percent if floor is not None else float("nan")
    )


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw predicted over measured, and the error with its interval beside the noise floor."""
    grid = panels(LAYOUT, ax)
    left, right = grid.axes.flat
    floor = float(table["noise_floor_percent"].iloc[0])
    names = path_rows(table)
    colours = colours_of(names)
    for index, path in enumerate(names):
        rows = of_path(table, path)
        _open_marks(left, rows, RATES, index, colours)
        _open_marks(right, rows, ERRORS, index, colours)
    _equal(left, table, floor, words)
    _errors(right, float(np.nanmax(np.abs(table[["lower_percent", "upper_percent"]]))), words)
    if np.isfinite(floor):
        right.axhspan(-floor, floor, **BAND)
    left.set_ylabel(words(PREDICTED_THROUGHPUT))
    right.set_ylabel(announced(words("Error of the prediction (%)"), right, "y", words))
    for axes in (left, right):
        axes.set_xlabel(words(MEASURED_THROUGHPUT))
    grid.key(_key(names, floor, words))
    return grid


def _open_marks(
    axes: Axes, rows: pd.DataFrame, columns: tuple[str, ...], index: int, colours: tuple[str, ...]
) -> None:
    middle, lower, upper = (rows[name].to_numpy(dtype=float) for name in columns)
    many = len(rows) > MANY
    _, _, intervals = axes.errorbar(
        rows["measured_mpps"].to_numpy(dtype=float), middle,
        yerr=np.maximum([middle - lower, upper - middle], 0.0), color=colours[index],
        marker=marker(index), markerfacecolor="white", markersize=2.6 if many else 4.0,
        markeredgewidth=0.5 if many else 0.8, linestyle="", elinewidth=0.5, capsize=0.0, zorder=3,
    )  # fmt: skip
    for interval in intervals:
        interval.set(alpha=0.3 if many else 0.7, zorder=2)


def _equal(axes: Axes, table: pd.DataFrame, floor: float, words: Words) -> None:
    """Draw the diagonal with the noise floor around it."""
    ends = np.array([table["measured_mpps"].min() * 0.8, table["measured_mpps"].max() * 1.25])
    axes.plot(ends, ends, zorder=1, **EQUAL)
    if np.isfinite(floor):
        axes.fill_between(ends, ends * (1 - floor / 100), ends * (1 + floor / 100), **BAND)
    axes.set_xlim(*ends)
    lowest = table[["lower_median_mpps", "predicted_mpps"]].min().min()
    highest = table[["upper_median_mpps", "predicted_mpps"]].max().max()
    axes.set_ylim(max(0.8 * lowest, 0.5 * ends[0]), min(1.25 * highest, 2.0 * ends[1]))
    log_axis(axes, "x", words)
    log_axis(axes, "y", words)


def _errors(axes: Axes, largest: float, words: Words) -> None:
    """Scale the errors' axis: small ones evenly, large ones by their logarithm."""
    axes.axhline(0.0, zorder=1, **EQUAL)
    if largest > 2.0 * LINEAR_PERCENT:
        symlog_axis(axes, "y", TICKS_PERCENT, words, linear=(LINEAR_PERCENT, 1.0))
    axes.yaxis.set_major_formatter(ticks(words))
    log_axis(axes, "x", words)


def _key(names: dict[tuple[str, str], str], floor: float, words: Words) -> list[Artist]:
    colours = colours_of(names)
    key = [
        key_entry(words("{path}, held out, 90 % interval", path=name), color=colours[index],
                  marker=marker(index), markerfacecolor="white", linestyle="")
        for index, name in enumerate(names.values())
    ]  # fmt: skip
    key.append(key_entry(words("prediction = measurement"), **EQUAL))
    if np.isfinite(floor):
        band = words("± mean noise floor, {percent} %", percent=words.number(floor, 2))
        key.append(key_band(band, **BAND))
    return key


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what was held out, and how far off the predictions were."""
    yield words("Whole groups (datapath, program, queues, accesses) held out in turn.")
    yield words("Marks: median of a cell's repetitions against the prediction; bars: the "
                "90 % interval of such medians, at the left cut where they go far beyond what was "
                "measured.")  # fmt: skip
    if section.validation is not None:
        yield error_sentence(section.validation.scores, words)


FIGURE = FigureKind(
    name="held-out", title=message("Predictions of cells that the model had not seen"),
    studies=("capacity",), table=table, draw=draw, caption=caption, place=50,
)  # fmt: skip
