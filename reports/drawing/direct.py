"""Names written at the ends of lines, where a key would have to be looked up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE_SHARE = 0.105
"""Height of a line of text over that of a panel, about."""
GAP = 4
"""Points between the panel's right end and its names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """Where a line ends, and what it is."""

    y: float
    name: str
    colour: str


def fit(count: int) -> bool:
    """Whether so many names fit beside a panel."""
    return count * LINE_SHARE <= 1.0


def end_labels(axes: Axes, ends: Sequence[End]) -> None:
    """Write each line's name at the right of a panel whose scale stands, in order of the lines."""
    shown = axes.transData.transform([(1.0, end.y) for end in ends])
    places = axes.transAxes.inverted().transform(shown)[:, 1]
    ordered = sorted(zip(places.tolist(), ends, strict=True), key=lambda pair: pair[0])
    for share, (_, end) in zip(apart([y for y, _ in ordered]), ordered, strict=True):
        axes.annotate(end.name, xy=(1.0, share), xycoords="axes fraction", xytext=(GAP, 0),
                      textcoords="offset points", ha="left", va="center", color=end.colour,
                      fontsize=7, annotation_clip=False)  # fmt: skip


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
