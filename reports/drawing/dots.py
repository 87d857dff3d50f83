"""Rows of named dots: things without an order of their own, compared side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW_INCHES = 0.21
CONDITION_INCHES = 0.07
"""More room in each row for every condition beside the first."""
SPREAD = 0.62
"""Share of a row over which its conditions are spread."""


def row_inches(conditions: int) -> float:
    """Height of one row with so many dots in it."""
    return ROW_INCHES + CONDITION_INCHES * (conditions - 1)


def offset(index: int, count: int) -> float:
    """Where in its row the index-th of so many dots lies."""
    return SPREAD * ((index + 0.5) / count - 0.5)


def named_rows(axes: Axes, names: Sequence[str]) -> None:
    """Name the rows of a panel, the first at the top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
