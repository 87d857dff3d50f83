"""Small multiples: a grid of panels with shared axes and one key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from linerate.reports.sections import path_names
from linerate.reports.words import Words
from linerate.tables.columns import DATAPATHS

PANEL_INCHES = (2.5, 2.0)
KEY_INCHES = 1.5
"""Room for the key at the right, and for labels."""
WIDTH_INCHES_MIN = 5.0
ROW_NAME_LENGTH = 18
"""A longer name of a row is broken at its comma."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panels:
    """A figure and its axes, shape (rows, columns)."""

    figure: Figure
    axes: np.ndarray

    def label(self, x: str, y: str, key: Sequence[Artist], *, above: bool = False) -> None:
        """Name the axes once for all panels and put the key at the right, or above them."""
        self.figure.supxlabel(x, fontsize="medium")
        self.figure.supylabel(y, fontsize="medium")
        self.figure.legend(
            handles=list(key), alignment="left", ncols=len(key) if above else 1,
            loc="outside upper right" if above else "outside right upper",
        )  # fmt: skip

    def keep(self, count: int) -> None:
        """Leave the panels behind so many empty; what stands above one gets the axis' numbers."""
        columns = self.axes.shape[1]
        every = list(self.axes.flat)
        for number, axes in enumerate(every):
            if number >= count:
                axes.set_axis_off()
                every[number - columns].tick_params(labelbottom=True)


def panels(
    rows: int, columns: int, *, share_x: bool = True, share_y: Literal["all", "col"] = "all"
) -> Panels:
    """Lay out a grid that keeps the size of a panel whatever their number."""
    width, height = PANEL_INCHES
    if columns > 2:
        width, height = 2.1, 1.8
    figure = Figure(figsize=(max(columns * width + KEY_INCHES, WIDTH_INCHES_MIN),
                             rows * height + 0.7))  # fmt: skip
    axes = figure.subplots(rows, columns, sharex=share_x, sharey=share_y, squeeze=False)
    return Panels(figure=figure, axes=axes)


def path_rows(table: pd.DataFrame) -> dict[tuple[str, str], str]:
    """Name of each path of a table, datapaths in the order of ``DATAPATHS``."""
    pairs = table[["datapath", "program"]].dropna().drop_duplicates()
    ordered = sorted(pairs.itertuples(index=False, name=None),
                     key=lambda pair: (DATAPATHS.index(pair[0]), pair[1]))  # fmt: skip
    return path_names(ordered)


def by_path_and_queues(
    table: pd.DataFrame, words: Words
) -> tuple[Panels, list[tuple[Axes, pd.DataFrame]]]:
    """One row of panels for each path and one column for each queue count.

    Returns
    -------
    The panels, and of each its axes with its rows of the table.
    """
    names = path_rows(table)
    queues = sorted(table["queues"].unique())
    grid = panels(len(names), len(queues))
    found = []
    for row, ((datapath, program), name) in enumerate(names.items()):
        own = table[(table["datapath"] == datapath) & (table["program"] == program)]
        for column, count in enumerate(queues):
            axes: Axes = grid.axes[row, column]
            if row == 0:
                axes.set_title(words.queues(int(count)))
            found.append((axes, own[own["queues"] == count]))
        name_row(grid.axes[row, -1], name)
    return grid, found


def name_row(axes: Axes, name: str) -> None:
    """Write a row's name along its right side."""
    lines = name.replace(", ", ",\n") if len(name) > ROW_NAME_LENGTH else name
    axes.annotate(lines, xy=(1.03, 0.5), xycoords="axes fraction", rotation=270, ha="left",
                  va="center", multialignment="center")  # fmt: skip


def bars(
    axes: Axes, rows: pd.DataFrame, x: str, y: str, **drawn: object
) -> ErrorbarContainer | None:
    """Draw marks at medians with bars from the smallest to the largest run."""
    if rows.empty:
        return None
    middle = rows[y].to_numpy(dtype=float)
    reach = np.stack([middle - rows[f"min_{y}"].to_numpy(dtype=float),
                      rows[f"max_{y}"].to_numpy(dtype=float) - middle])  # fmt: skip
    style = {"linestyle": "", "marker": "o", "elinewidth": 0.8, "zorder": 3, **drawn}
    return axes.errorbar(rows[x].to_numpy(dtype=float), middle, yerr=reach, **style)  # type: ignore[arg-type]


def line(axes: Axes, rows: pd.DataFrame, x: str, y: str, **drawn: object) -> None:
    """Draw a line through rows, ascending."""
    if not rows.empty:
        ordered = rows.sort_values(x)
        axes.plot(ordered[x].to_numpy(dtype=float), ordered[y].to_numpy(dtype=float), **drawn)  # type: ignore[arg-type]


def of(table: pd.DataFrame, series: str, **values: object) -> pd.DataFrame:
    """Rows of one series with given values of other columns."""
    rows = table[table["series"] == series]
    for name, value in values.items():
        rows = rows[rows[name] == value]
    return rows
