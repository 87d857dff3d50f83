"""Panels of paths: a row for each path, a column for each queue count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from linerate.reports.drawing.colours import path_colours
from linerate.reports.drawing.page import page
from linerate.reports.drawing.panels import Layout, Panels, name_row, panels, panels_for
from linerate.reports.language import Words
from linerate.reports.language.names import datapath_rank, path_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANELS_MAX = 16
"""Panels of paths and queues that the highest figure of one column has room for."""
PANEL = ["datapath", "program", "queues"]


def path_rows(table: pd.DataFrame) -> dict[tuple[str, str], str]:
    """Name of each path of a table, datapaths in the order of lists."""
    pairs = table[["datapath", "program"]].dropna().drop_duplicates()
    ordered = sorted(pairs.itertuples(index=False, name=None),
                     key=lambda pair: (datapath_rank(pair[0]), pair[1]))  # fmt: skip
    return path_names(ordered)


def of_path(table: pd.DataFrame, path: tuple[str, str]) -> pd.DataFrame:
    """Rows of one path."""
    return table[(table["datapath"] == path[0]) & (table["program"] == path[1])]


def by_path_and_queues(
    table: pd.DataFrame, words: Words, ax: Axes | None = None
) -> tuple[Panels, list[tuple[Axes, pd.DataFrame]]]:
    """One row of panels for each path and one column for each queue count.

    Where they are too many for a page, some stand for all (``panels_drawn``).

    Returns
    -------
    The panels, and of each its axes with its rows of the table.
    """
    table = panels_drawn(table)
    names = path_rows(table)
    queues = sorted(table["queues"].unique())
    if len(queues) > page().columns:
        return _one_by_one(table, names, words, ax)
    grid = panels(Layout(rows=len(names), columns=len(queues)), ax)
    found = []
    for row, (path, name) in enumerate(names.items()):
        own = of_path(table, path)
        for column, count in enumerate(queues):
            axes: Axes = grid.axes[row, column]
            if row == 0:
                axes.set_title(words.queues(int(count)))
            found.append((axes, own[own["queues"] == count]))
        name_row(grid.axes[row, -1], name)
    return grid, found


def panels_drawn(table: pd.DataFrame) -> pd.DataFrame:
    """Take the rows of as many panels as fit: fewest and most queues, then the first paths."""
    if _count(table) <= PANELS_MAX:
        return table
    ends = sorted({table["queues"].min(), table["queues"].max()})
    paths = list(path_rows(table))[: PANELS_MAX // len(ends)]
    pairs = pd.Series(list(zip(table["datapath"], table["program"], strict=True)), table.index)
    return table[table["queues"].isin(ends) & pairs.isin(paths)]


def panels_left_out(table: pd.DataFrame, words: Words) -> Iterator[str]:
    """Say which panels stand for all, where not all are drawn."""
    drawn, of = _count(panels_drawn(table)), _count(table)
    if drawn < of:
        yield words("{n} of {of} panels are drawn: the fewest and the most queues of the first "
                    "programs by name. The CSV has all.", n=drawn, of=of)  # fmt: skip


def _count(table: pd.DataFrame) -> int:
    return len(table[PANEL].dropna().drop_duplicates())


def _one_by_one(
    table: pd.DataFrame, names: dict[tuple[str, str], str], words: Words, ax: Axes | None
) -> tuple[Panels, list[tuple[Axes, pd.DataFrame]]]:
    """Lay out panels that are too many for a row each: every one has both names."""
    parts = [
        (f"{name}, {words.queues(int(rows['queues'].iloc[0]))}", rows)
        for path, name in names.items()
        for _, rows in of_path(table, path).groupby("queues")
    ]
    grid = panels_for(len(parts), ax)
    grid.titles([name for name, _ in parts])
    return grid, list(zip(grid.axes.flat, (rows for _, rows in parts), strict=False))


def colours_of(names: dict[tuple[str, str], str]) -> tuple[str, ...]:
    """Colours of the paths of ``path_rows``."""
    return path_colours(datapath for datapath, _ in names)
