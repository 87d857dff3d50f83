"""Which lines a key names, and where they end: what direct labels are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from linerate.reports.drawing.colours import GREY, INK
from linerate.reports.drawing.direct import GAP, End, end_labels, make_room, near
from linerate.reports.drawing.page import page

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

LETTER_INCHES = 0.058
"""Width of a letter of a name, about."""
WIDTH_SHARE_MAX = 0.3
"""Of a panel's part of the page that names may take."""
ENDS_FROM = 0.7
"""Share of a panel's width from which on a line ends at its right."""


def name_lines(
    axes_of: np.ndarray, entries: Sequence[Artist], figure_inches: float
) -> list[Artist]:  # fmt: skip
    """Write the names of a key at the ends of their lines, where each has room in every panel.

    Parameters
    ----------
    axes_of
        Panels whose scales stand, shape (rows, columns).
    entries
        Of the key: those that name a line by its colour.
    figure_inches
        Height of the figure.

    Returns
    -------
    What a key still has to say: all of it where one name has no room.
    """
    naming = [entry for entry in entries if _names_a_line(entry)]
    found = [(axes, ends) for axes in axes_of.flat if (ends := list(_ends(axes, naming)))]
    inches = max(figure_inches / axes_of.shape[0] - 0.55, 0.5)
    seen = {end.name for _, ends in found for end in ends if end is not None}
    if len(naming) < 2 or seen != {str(entry.get_label()) for entry in naming}:
        return list(entries)
    if not all(_fits(axes, ends, axes_of.shape[1], inches) for axes, ends in found):
        return list(entries)
    points = GAP + 72.0 * max(_width_inches(ends) for _, ends in found)
    for axes, ends in found:
        end_labels(axes, [end for end in ends if end is not None], inches)
        make_room(axes, points)
    return [entry for entry in entries if entry not in naming]


def _fits(axes: Axes, ends: Sequence[End | None], columns: int, inches: float) -> bool:
    there = [end for end in ends if end is not None]
    return (
        len(there) == len(ends) and not axes.child_axes
        and _width_inches(ends) <= WIDTH_SHARE_MAX * page().width_inches / columns
        and near(axes, there, inches)
    )  # fmt: skip


def _width_inches(ends: Sequence[End | None]) -> float:
    return LETTER_INCHES * max((len(end.name) for end in ends if end is not None), default=0)


def _names_a_line(entry: Artist) -> TypeGuard[Line2D]:
    """Whether an entry of a key names something by its colour, and not what a mark is."""
    from matplotlib.lines import Line2D

    return isinstance(entry, Line2D) and _colour(entry) not in (INK, GREY)


def _ends(axes: Axes, naming: Sequence[Line2D]) -> Iterator[End | None]:
    """Find the end of each line of a panel; None for what no line joins up to there."""
    for entry in naming:
        drawn = _drawn(axes, entry, naming)
        if not any(len(np.asarray(line.get_xdata())) for line in drawn):
            continue
        ends = [end for line in drawn if _joins(line) and (end := _end(axes, line)) is not None]
        marked = {_end(axes, line) for line in drawn if line.get_marker() == entry.get_marker()}
        if len(ends) > 1 and _shared(entry, naming):  # by colour alone it could be another's
            ends = [end for end in ends if end in marked]
        name = str(entry.get_label()).replace("\n", " ")
        yield End(y=ends[0], name=name, colour=_colour(entry)) if ends else None


def _drawn(axes: Axes, entry: Line2D, naming: Sequence[Line2D]) -> list[Line2D]:
    """Take the lines of a panel that have the colour of an entry, and its dashes or its marks."""
    alike = [line for line in axes.lines if _colour(line) == _colour(entry)]
    if not _shared(entry, naming):
        return alike
    return [line for line in alike
            if line.get_linestyle() == entry.get_linestyle() or not _joins(line)]  # fmt: skip


def _shared(entry: Line2D, naming: Sequence[Line2D]) -> bool:
    """Whether another entry has the colour, too."""
    return sum(_colour(other) == _colour(entry) for other in naming) > 1


def _joins(line: Line2D) -> bool:
    return line.get_linestyle() not in ("None", "none", "", " ")


def _end(axes: Axes, line: Line2D) -> float | None:
    """Height of a line's right end; None of one point, or where it ends far from the right."""
    x, y = (np.asarray(values, dtype=float) for values in (line.get_xdata(), line.get_ydata()))
    there = np.isfinite(x) & np.isfinite(y)
    if int(there.sum()) < 2:
        return None
    low, high, *places = axes.xaxis.get_transform().transform([*axes.get_xlim(), *x[there]])
    shares = (np.array(places) - low) / (high - low)
    last = int(np.argmax(shares))
    return float(y[there][last]) if shares[last] >= ENDS_FROM else None


def _colour(line: Line2D) -> str:
    from matplotlib.colors import to_hex

    return to_hex(line.get_color())
