"""Scales and numbers of the axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from linerate.reports.drawing.page import page
from linerate.reports.language import Words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.ticker import FuncFormatter, LogLocator

TICKS_MAX = 7
TICKS_MIN = 2
"""Numbers that an axis needs for its scale to be read."""
MARGIN = 0.04
"""Share of an axis that is left free at either end."""
ACCESS_TICKS_MAX = 5
"""Access counts have up to five digits."""
NARROW_TICKS_MAX = 3
"""In a panel of one column of two."""
DECADES_MIN = 1.3
"""Rates that span more are drawn by their logarithm."""
Side = Literal["x", "y"]


def accesses_axis(axes: Axes, accesses: Sequence[float], words: Words) -> None:
    """Logarithmic from the smallest access count up, with room for 0 at its left."""
    values = np.unique(np.asarray(accesses, dtype=np.float64))
    positive = values[values > 0.0]
    if positive.size:
        axes.set_xscale("symlog", linthresh=float(positive[0]), linscale=0.4)
        _pad(axes, float(values[0]), float(values[-1]))
        values = np.concatenate([values[values == 0.0],
                                 _decimated(positive, _most(ACCESS_TICKS_MAX))])  # fmt: skip
    fixed_ticks(axes, "x", values, words)


def sizes_axis(axes: Axes, sizes: Sequence[float], words: Words) -> None:
    """Logarithmic frame sizes, a tick at each where there is room."""
    values = np.unique(np.asarray(sizes, dtype=np.float64))
    axes.set_xscale("log", base=2)
    fixed_ticks(axes, "x", _decimated(values, _most(TICKS_MAX)), words)


def queues_axis(axes: Axes, queues: Sequence[float], words: Words) -> None:
    """Logarithmic queue counts: doubling is one step."""
    axes.set_xscale("log", base=2)
    values = np.unique(np.asarray(queues, dtype=np.float64))
    axes.set_xlim(0.85 * values[0], 1.18 * values[-1])
    fixed_ticks(axes, "x", values, words)


def doubling_axis(
    axes: Axes, values: Sequence[float], words: Words, text: Callable[[float], str] | None = None
) -> None:
    """Logarithmic counts, a tick at each where there is room; doubling is one step."""
    from matplotlib.ticker import FuncFormatter

    there = np.unique(np.asarray(values, dtype=np.float64))
    axes.set_xscale("log", base=2)
    room = 1.1 if there.size > 1 else 4.0
    _pad(axes, float(there[0]) / room, float(there[-1]) * room)
    fixed_ticks(axes, "x", _decimated(there, _most(TICKS_MAX)) if there.size > 1 else there, words)
    if text is not None:
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: text(float(value))))


def counts_axis(axes: Axes, words: Words | None = None, most: int | None = None) -> None:
    """Whole numbers, evenly spaced."""
    from matplotlib.ticker import MaxNLocator

    if most is None:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(most, integer=True, steps=[1, 2, 5, 10]))
    if words is not None:
        axes.xaxis.set_major_formatter(ticks(words))


def log_axis(axes: Axes, which: Side, words: Words) -> None:
    """Logarithmic axis with plain numbers; 2 and 5 are named too where it spans little.

    Where even of these it would have one alone, which tells nothing, every digit is named.
    """
    from matplotlib.ticker import LogLocator, NullFormatter, NullLocator

    scale = axes.set_yscale if which == "y" else axes.set_xscale
    axis = axes.yaxis if which == "y" else axes.xaxis
    scale("log")
    low, high = sorted(axes.get_ylim() if which == "y" else axes.get_xlim())
    few = high / max(low, 1e-12) < 300.0
    usual = LogLocator(base=10.0, subs=(1.0, 2.0, 5.0) if few else (1.0,))
    alone = few and _named(usual, low, high) < TICKS_MIN
    axis.set_major_locator(LogLocator(base=10.0, subs=range(1, 10)) if alone else usual)
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(ticks(words))
    axis.set_minor_formatter(NullFormatter())


def _named(locator: LogLocator, low: float, high: float) -> int:
    """Count the numbers that an axis has between its ends."""
    values = np.asarray(locator.tick_values(low, high))
    return int(np.count_nonzero((values >= low) & (values <= high)))


def symlog_axis(
    axes: Axes, which: Side, at: Sequence[float], words: Words, linear: tuple[float, float]
) -> None:
    """Logarithmic on both sides of zero.

    ``linear`` is the value up to which it is even, and the length of that part in decades.
    """
    set_scale = axes.set_yscale if which == "y" else axes.set_xscale
    set_scale("symlog", linthresh=linear[0], linscale=linear[1])
    fixed_ticks(axes, which, np.asarray(at, dtype=np.float64), words, digits=4)


def announced(label: str, axes: Axes, which: Side, words: Words) -> str:
    """Say in an axis' name where a logarithmic scale begins that is linear around zero.

    Upright it is a line of its own: a panel is not high enough for both.
    """
    axis = axes.yaxis if which == "y" else axes.xaxis
    if not label or axis.get_scale() != "symlog":
        return label
    linear = float(axis.get_transform().linthresh)  # type: ignore[attr-defined]
    label_text = words("{label}, log scale from {n} on", label=label, n=words.number(linear))
    return label_text.replace(f"{label}, ", f"{label},\n") if which == "y" else label_text


def rates_axis(axes: Axes, values: pd.Series, words: Words) -> None:
    """From zero, or logarithmic where the values are too far apart to be seen beside each other."""
    positive = values[values > 0.0]
    if len(positive) and np.log10(positive.max() / positive.min()) > DECADES_MIN:
        axes.set_xlim(0.8 * float(positive.min()), 1.25 * float(positive.max()))
        log_axis(axes, "x", words)
    else:
        axes.set_xlim(0.0, 1.08 * float(values.max()) or 1.0)
        axes.xaxis.set_major_formatter(ticks(words))


def ticks(words: Words, digits: int = 4) -> FuncFormatter:
    """Build the formatter of plain numbers in the reader's notation."""
    from matplotlib.ticker import FuncFormatter

    return FuncFormatter(lambda value, _: words.number(float(value), digits))


def fixed_ticks(axes: Axes, which: Side, values: np.ndarray, words: Words, digits: int = 3) -> None:
    """Put a tick at each of these values, and at no other."""
    from matplotlib.ticker import FixedLocator, NullLocator

    axis = axes.yaxis if which == "y" else axes.xaxis
    axis.set_major_locator(FixedLocator(list(values)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(ticks(words, digits))


def _pad(axes: Axes, low: float, high: float) -> None:
    """Leave as much room at both ends of a scaled axis as the eye expects."""
    scale = axes.xaxis.get_transform()
    ends = scale.transform(np.array([low, high]))
    room = MARGIN * max(float(ends[1] - ends[0]), 1e-9)
    padded = scale.inverted().transform(ends + np.array([-room, room]))
    axes.set_xlim(float(padded[0]), float(padded[1]))


def _most(ticks_max: int) -> int:
    return min(ticks_max, NARROW_TICKS_MAX) if page().narrow else ticks_max


def _decimated(values: np.ndarray, most: int) -> np.ndarray:
    """As many of ascending values as have room for their labels on a logarithmic axis."""
    room = np.log(values[-1] / values[0]) / most
    kept: list[float] = []
    for value in values[::-1]:
        if not kept or np.log(kept[-1] / value) >= room:
            kept.append(float(value))
    return np.array(kept[::-1])
