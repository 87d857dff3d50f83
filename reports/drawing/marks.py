"""Marks with bars, and lines, of the rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from linerate.reports.drawing.style import colour, mark

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Transform

SIDE_POINTS = 2.5
SIDE_POINTS_MAX = 10.0
"""Over which the marks of one place are spread, however many."""
BAR: dict[str, Any] = {"linestyle": "", "elinewidth": 0.8, "zorder": 3}


def bars(axes: Axes, rows: pd.DataFrame, x: str, y: str, **drawn: object) -> None:
    """Draw marks at medians with bars from the smallest to the largest run."""
    if not rows.empty:
        style = {**BAR, "marker": "o", **drawn}
        axes.errorbar(rows[x].to_numpy(dtype=float), rows[y].to_numpy(dtype=float),
                      yerr=_reach(rows, y), **style)  # fmt: skip


def beside(axes: Axes, index: int, count: int) -> Transform:
    """Move the marks of the index-th of so many things aside, so that none hides another."""
    from matplotlib.transforms import ScaledTranslation

    step = min(SIDE_POINTS, SIDE_POINTS_MAX / max(count - 1, 1))
    points = step * (index - (count - 1) / 2.0)
    scale = axes.figure.dpi_scale_trans
    return axes.transData + ScaledTranslation(points / 72.0, 0.0, scale)


def dots(
    axes: Axes, rows: pd.DataFrame, y: Sequence[float], name: str, look: dict[str, Any]
) -> None:
    """Draw medians from left to right with bars from the smallest to the largest run."""
    if not rows.empty:
        axes.errorbar(rows[name].to_numpy(dtype=float), y, xerr=_reach(rows, name),
                      clip_on=False, **look, **BAR)  # fmt: skip


def line(axes: Axes, rows: pd.DataFrame, x: str, y: str, **drawn: Any) -> None:  # noqa: ANN401
    """Draw a line through rows, ascending."""
    if not rows.empty:
        ordered = rows.sort_values(x)
        axes.plot(ordered[x].to_numpy(dtype=float), ordered[y].to_numpy(dtype=float), **drawn)


def joined(
    axes: Axes, rows: pd.DataFrame, names: tuple[str, str], index: int, **drawn: Any  # noqa: ANN401
) -> None:  # fmt: skip
    """Draw marks with bars, joined by a thin line; in the colour and mark of a condition."""
    style = {"color": colour(index), "marker": mark(index), **drawn}
    dashes = {"linestyle": "--"} if style.get("markerfacecolor") == "white" else {}
    line(axes, rows, *names, color=style["color"], linewidth=0.6, **dashes)
    bars(axes, rows, *names, **style)


def of(table: pd.DataFrame, series: str, **values: object) -> pd.DataFrame:
    """Rows of one series with given values of other columns."""
    there = table["series"] == series
    for name, value in values.items():
        there &= table[name] == value
    return table[there]


def _reach(rows: pd.DataFrame, name: str) -> np.ndarray:
    """How far the bars reach below and above the marks; shape (2, n)."""
    middle = rows[name].to_numpy(dtype=float)
    return np.stack([middle - rows[f"min_{name}"].to_numpy(dtype=float),
                     rows[f"max_{name}"].to_numpy(dtype=float) - middle])  # fmt: skip
