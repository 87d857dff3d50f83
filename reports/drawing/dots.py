"""Rows of named dots: things without an order of their own, compared side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from linerate.reports.drawing.page import page
from linerate.reports.drawing.panels import LETTER_INCHES, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW_INCHES = 0.17
LINE_INCHES = 0.135
ROUND_INCHES = 0.35
"""Of a panel's title and axis."""
AROUND_INCHES = 0.8
CONDITION_INCHES = 0.06
"""More room in each row for every condition beside the first."""
SPREAD = 0.62
"""Share of a row over which its conditions are spread."""
NAMES_SHARE = 0.5
"""Of the page's width that names of rows may take; longer ones are broken."""


def row_inches(conditions: int) -> float:
    """Height of one row with so many dots in it."""
    return ROW_INCHES + CONDITION_INCHES * (conditions - 1)


def rows_inches(names: Sequence[str], conditions: int) -> float:
    """Height of a panel with these rows: one whose name is broken needs the room of its lines."""
    lines = [_broken(name).count("\n") + 1 for name in names]
    return len(names) * max(row_inches(conditions), LINE_INCHES * max(lines)) + ROUND_INCHES


def rows_fit(names: Sequence[str], conditions: int) -> bool:
    """Whether a page is high enough for rows of these names, with a key above and an axis."""
    return rows_inches(names, conditions) + AROUND_INCHES <= page().height_inches_max


def offset(index: int, count: int) -> float:
    """Where in its row the index-th of so many dots lies."""
    return SPREAD * ((index + 0.5) / count - 0.5)


def named_rows(axes: Axes, names: Sequence[str]) -> None:
    """Name the rows of a panel, the first at the top."""
    axes.set_yticks(range(len(names)), [_broken(name) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)


def _broken(name: str) -> str:
    return wrapped(name, int(NAMES_SHARE * page().width_inches / LETTER_INCHES))
