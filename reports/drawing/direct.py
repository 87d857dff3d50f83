"""Names written at the ends of lines, where a key would have to be looked up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE_SHARE = 0.105
"""Height of a line of text over that of a panel of which nothing is known, about."""
LINE_INCHES = 0.115
MOVED_MAX = 1.2
"""Lines of text that a name may be away from its line's end."""
GAP = 4
"""Points between the panel's right end and its names."""
LIGHTEST = 0.42
"""Lightness, 0 to 1, up to which a colour can be read as text; a lighter one is darkened."""
ROW_NAME = "row name"
"""Mark of a text beside a panel that makes room for what else stands there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """Where a line ends, and what it is."""

    y: float
    name: str
    colour: str


def fit(count: int) -> bool:
    """Whether so many names fit beside a panel."""
    return count * LINE_SHARE <= 1.0


def near(axes: Axes, ends: Sequence[End], panel_inches: float) -> bool:
    """Whether each name finds a place near its line's end, in a panel of about this height."""
    gap = LINE_INCHES / max(panel_inches, LINE_INCHES)
    shares = sorted(_shares(axes, ends))
    if len(shares) * gap > 1.0 or not all(-0.01 <= share <= 1.01 for share in shares):
        return False
    moved = [abs(a - b) for a, b in zip(apart(shares, gap), shares, strict=True)]
    return max(moved, default=0.0) <= MOVED_MAX * gap


def end_labels(axes: Axes, ends: Sequence[End], panel_inches: float | None = None) -> None:
    """Write each line's name at the right of a panel whose scale stands, in order of the lines."""
    gap = LINE_SHARE if panel_inches is None else LINE_INCHES / panel_inches
    ordered = sorted(zip(_shares(axes, ends), ends, strict=True), key=lambda pair: pair[0])
    for share, (_, end) in zip(apart([y for y, _ in ordered], gap), ordered, strict=True):
        axes.annotate(end.name, xy=(1.0, share), xycoords="axes fraction", xytext=(GAP, 0),
                      textcoords="offset points", ha="left", va="center",
                      color=readable(end.colour), fontsize=7, annotation_clip=False)  # fmt: skip


def make_room(axes: Axes, points: float) -> None:
    """Move the name of a row away from its panel."""
    for text in axes.texts:
        if text.get_gid() == ROW_NAME:
            x, y = text.get_position()
            text.set_position((float(x) + points, float(y)))


def readable(colour: str) -> str:
    """Darken a colour that is too light for text.

    >>> readable("#240d47"), readable("#ffffff") < "#808080"
    ('#240d47', True)
    """
    from matplotlib.colors import to_hex, to_rgb

    red, green, blue = to_rgb(colour)
    light = 0.299 * red + 0.587 * green + 0.114 * blue
    dimmed = min(LIGHTEST / max(light, LIGHTEST), 1.0)
    return to_hex((red * dimmed, green * dimmed, blue * dimmed))


def _shares(axes: Axes, ends: Sequence[End]) -> list[float]:
    """Heights of the ends in the panel, 0 to 1."""
    right, _ = axes.get_xlim()[1], axes.get_ylim()  # a scale that is not yet known is found
    shown = axes.transData.transform([(right, end.y) for end in ends])
    return [float(y) for y in axes.transAxes.inverted().transform(shown)[:, 1]]


def apart(shares: Sequence[float], gap: float = LINE_SHARE) -> list[float]:
    """Move ascending places apart by at least a gap, each as little as it takes, within 0 to 1.

    >>> [round(share, 2) for share in apart([0.5, 0.5, 0.9], gap=0.2)]
    [0.4, 0.6, 0.9]
    """
    groups: list[list[float]] = []
    for share in shares:
        groups.append([share])
        while len(groups) > 1 and _low(groups[-1], gap) < _high(groups[-2], gap) + gap - 1e-9:
            last = groups.pop()
            groups[-1] += last
    return [
        start + place * gap
        for group in groups
        for start in [_low(group, gap)]
        for place in range(len(group))
    ]


def _low(group: Sequence[float], gap: float) -> float:
    """First place of a group around its own middle, moved into the panel."""
    length = (len(group) - 1) * gap
    return min(max(sum(group) / len(group) - length / 2.0, 0.0), max(1.0 - length, 0.0))


def _high(group: Sequence[float], gap: float) -> float:
    return _low(group, gap) + (len(group) - 1) * gap
