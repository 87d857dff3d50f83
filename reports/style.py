"""Colours, marks and axes that all figures share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from linerate.reports.words import Words

STYLE_FILE = Path(__file__).with_name("linerate.mplstyle")
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#000000")
"""Okabe-Ito, for things without an order."""
ORDERED_COLOURS = ("#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00", "#CC79A7", "#000000")
"""Okabe-Ito from cold to warm, for frame sizes and access counts."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "#7f7f7f"
LINE_RATE = {"color": GREY, "linestyle": (0, (4, 2)), "linewidth": 0.8}
"""How a line rate is drawn in every figure."""
IDEAL = {"color": "#b0b0b0", "linestyle": "-", "linewidth": 0.8}
TICKS_MAX = 7
MARGIN = 0.04
"""Share of an axis that is left free at either end."""
TITLE_LETTERS_MAX = 30
"""Of one line over the narrowest panel."""
ACCESS_TICKS_MAX = 5
"""Access counts have up to five digits."""


@contextmanager
def styled() -> Iterator[None]:
    """Draw and save figures in the one style."""
    with matplotlib.rc_context(fname=STYLE_FILE):
        yield


def colour(index: int, palette: Sequence[str] = COLOURS) -> str:
    """Colour of the index-th thing; they repeat after the last."""
    return palette[index % len(palette)]


def marker(index: int) -> str:
    """Mark of the index-th thing."""
    return MARKERS[index % len(MARKERS)]


def accesses_axis(axes: Axes, accesses: Sequence[float], words: Words) -> None:
    """Logarithmic from the smallest access count up, with room for 0 at its left."""
    values = np.unique(np.asarray(accesses, dtype=np.float64))
    positive = values[values > 0.0]
    if positive.size:
        axes.set_xscale("symlog", linthresh=float(positive[0]), linscale=0.4)
        _pad(axes, float(values[0]), float(values[-1]))
        values = np.concatenate([values[values == 0.0],
                                 _decimated(positive, ACCESS_TICKS_MAX)])  # fmt: skip
    axes.xaxis.set_major_locator(FixedLocator(list(values)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(ticks(words, 3))


def _pad(axes: Axes, low: float, high: float) -> None:
    """Leave as much room at both ends of a scaled axis as the eye expects."""
    scale = axes.xaxis.get_transform()
    ends = scale.transform(np.array([low, high]))
    room = MARGIN * max(float(ends[1] - ends[0]), 1e-9)
    padded = scale.inverted().transform(ends + np.array([-room, room]))
    axes.set_xlim(float(padded[0]), float(padded[1]))


def _decimated(values: np.ndarray, most: int = TICKS_MAX) -> np.ndarray:
    """As many of ascending values as have room for their labels on a logarithmic axis."""
    room = np.log(values[-1] / values[0]) / most
    kept: list[float] = []
    for value in values[::-1]:
        if not kept or np.log(kept[-1] / value) >= room:
            kept.append(float(value))
    return np.array(kept[::-1])


def sizes_axis(axes: Axes, sizes: Sequence[float], words: Words) -> None:
    """Logarithmic frame sizes, a tick at each where there is room."""
    values = np.unique(np.asarray(sizes, dtype=np.float64))
    axes.set_xscale("log", base=2)
    _fixed_ticks(axes, _decimated(values), words)


def queues_axis(axes: Axes, queues: Sequence[float], words: Words) -> None:
    """Logarithmic queue counts: doubling is one step."""
    axes.set_xscale("log", base=2)
    values = np.unique(np.asarray(queues, dtype=np.float64))
    axes.set_xlim(0.85 * values[0], 1.18 * values[-1])
    _fixed_ticks(axes, values, words)


def doubling_axis(
    axes: Axes, values: Sequence[float], words: Words, said: Callable[[float], str] | None = None
) -> None:
    """Logarithmic counts, a tick at each where there is room; doubling is one step."""
    there = np.unique(np.asarray(values, dtype=np.float64))
    axes.set_xscale("log", base=2)
    room = 1.1 if there.size > 1 else 4.0
    _pad(axes, float(there[0]) / room, float(there[-1]) * room)
    _fixed_ticks(axes, _decimated(there) if there.size > 1 else there, words)
    if said is not None:
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: said(float(value))))


def _fixed_ticks(axes: Axes, values: np.ndarray, words: Words) -> None:
    axes.xaxis.set_major_locator(FixedLocator(list(values)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(ticks(words, 3))


def log_axis(axes: Axes, which: str, words: Words) -> None:
    """Logarithmic axis with plain numbers; 2 and 5 are named too where it spans little."""
    scale = axes.set_yscale if which == "y" else axes.set_xscale
    axis = axes.yaxis if which == "y" else axes.xaxis
    scale("log")
    low, high = sorted(axes.get_ylim() if which == "y" else axes.get_xlim())
    few = high / max(low, 1e-12) < 300.0
    axis.set_major_locator(LogLocator(base=10.0, subs=(1.0, 2.0, 5.0) if few else (1.0,)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(ticks(words))
    axis.set_minor_formatter(NullFormatter())


def wrapped(name: str) -> str:
    r"""Break a panel's title at commas, so that it does not run into its neighbour's.

    >>> wrapped("forward, 50 read_32 + 50 write_32, bursts of 32")
    'forward,\n50 read_32 + 50 write_32,\nbursts of 32'
    """
    lines: list[str] = []
    for part in name.split(", "):
        if lines and len(lines[-1]) + len(part) + 2 <= TITLE_LETTERS_MAX:
            lines[-1] += f", {part}"
        else:
            lines.append(part)
    return ",\n".join(lines)


def ticks(words: Words, digits: int = 4) -> FuncFormatter:
    """Build the formatter of plain numbers in the reader's notation."""
    return FuncFormatter(lambda value, _: words.number(float(value), digits))


def key_mark(name: str, index: int, palette: Sequence[str] = COLOURS) -> Line2D:
    """Legend entry of a thing that is measured and modelled."""
    return Line2D([], [], color=colour(index, palette), marker=marker(index), label=name)


def key_measured(name: str) -> Line2D:
    """Legend entry that says what the marks are."""
    return Line2D([], [], color="#333333", marker="o", linestyle="", label=name)


def key_line(name: str, **drawn: object) -> Line2D:
    """Legend entry that says what a line is."""
    return Line2D([], [], label=name, **{"color": "#333333", **drawn})  # type: ignore[arg-type]
