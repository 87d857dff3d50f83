"""Title above and source below a figure, inside of its picture, as ABNT wants them."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

LETTERS_PER_INCH = 15
LINE_INCHES = 0.16
PAD_INCHES = 0.06


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """How far a picture reaches beyond its figure."""

    above_inches: float = 0.0
    below_inches: float = 0.0

    def box_of(self, figure: Figure) -> Bbox:
        """Take the part of a figure, in inches, that its picture shows."""
        from matplotlib.transforms import Bbox

        width, height = figure.get_size_inches()
        return Bbox([[0.0, -self.below_inches], [width, height + self.above_inches]])


def framed(figure: Figure, title: str, source: str) -> Frame:
    """Write a title above a figure that is laid out, and its source below."""
    for legend in figure.legends:
        # Keys are anchored to the picture, which grows; from here on to the figure.
        legend.set_bbox_to_anchor((0.0, 0.0, 1.0, 1.0), transform=figure.transFigure)
    width, height = figure.get_size_inches()
    above, below = (wrap(text, int(width * LETTERS_PER_INCH)) for text in (title, source))
    for lines, y, place in ((above, 1.0 + PAD_INCHES / height, "bottom"),
                            (below, -PAD_INCHES / height, "top")):  # fmt: skip
        figure.text(0.5, y, "\n".join(lines), ha="center", va=place, in_layout=False)
    return Frame(above_inches=len(above) * LINE_INCHES + 2 * PAD_INCHES,
                 below_inches=len(below) * LINE_INCHES + 2 * PAD_INCHES)  # fmt: skip
