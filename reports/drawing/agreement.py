"""Predicted over measured: marks beside the line of equality, on two logarithmic axes alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from linerate.reports.drawing.axes import log_axis
from linerate.reports.drawing.colours import CONDITIONS
from linerate.reports.drawing.keys import key_entry
from linerate.reports.drawing.style import GREY, colour, marker
from linerate.reports.language import Words

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

EQUAL: dict[str, Any] = {"color": GREY, "linewidth": 0.8}


def marks(
    axes: Axes, measured: ArrayLike, predicted: ArrayLike, index: int,
    palette: Sequence[str] = CONDITIONS,
) -> None:  # fmt: skip
    """Draw open marks, as of all that was held out."""
    axes.plot(
        np.asarray(measured, dtype=float), np.asarray(predicted, dtype=float),
        color=colour(index, palette), marker=marker(index), markerfacecolor="white",
        markersize=2.6, markeredgewidth=0.5, linestyle="", zorder=3,
    )  # fmt: skip


def equality(axes: Axes, values: ArrayLike, words: Words) -> None:
    """Draw the line of equality over the range of all values, and fit both axes to it."""
    there = np.asarray(values, dtype=float)
    ends = np.array([there.min() * 0.8, there.max() * 1.25])
    axes.plot(ends, ends, zorder=1, **EQUAL)
    axes.set_xlim(*ends)
    axes.set_ylim(*ends)
    log_axis(axes, "x", words)
    log_axis(axes, "y", words)


def agreement_key(
    names: list[str], words: Words, palette: Sequence[str] = CONDITIONS
) -> list[Artist]:
    """Legend entries: a mark for each name, and the line."""
    return [
        *(
            key_entry(name, color=colour(index, palette), marker=marker(index),
                      markerfacecolor="white", linestyle="")
            for index, name in enumerate(names)
        ),
        key_entry(words("prediction = measurement"), **EQUAL),
    ]  # fmt: skip
