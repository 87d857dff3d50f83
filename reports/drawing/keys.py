"""Entries of a figure's key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from linerate.reports.drawing.colours import CONDITIONS
from linerate.reports.drawing.style import INK, colour, mark, marker

if TYPE_CHECKING:
    from matplotlib.artist import Artist


def key_entry(name: str, **drawn: Any) -> Artist:  # noqa: ANN401 (matplotlib's own)
    """Entry of whatever has this look."""
    from matplotlib.lines import Line2D

    return Line2D([], [], label=name, **{"color": INK, **drawn})


def key_band(name: str, **drawn: Any) -> Artist:  # noqa: ANN401
    """Entry of an area."""
    from matplotlib.patches import Patch

    return Patch(label=name, **drawn)


def key_mark(name: str, index: int, palette: Sequence[str] = CONDITIONS) -> Artist:
    """Entry of a thing that is measured and modelled."""
    return key_entry(name, color=colour(index, palette), marker=marker(index))


def key_measured(name: str, **drawn: Any) -> Artist:  # noqa: ANN401
    """Entry that says what the marks are."""
    return key_entry(name, **{"marker": "o", "linestyle": "", **drawn})


def dots_key(
    names: Sequence[str], palette: Sequence[str] = CONDITIONS, *, joined: bool = False
) -> list[Artist]:
    """Entries of conditions, by colour and mark; joined where their marks are."""
    lines: dict[str, Any] = {"linewidth": 0.6} if joined else {"linestyle": ""}
    return [
        key_entry(name, color=colour(index, palette), marker=mark(index, len(palette)), **lines)
        for index, name in enumerate(names)
    ]
