"""Small multiples: a grid of panels with shared axes and one key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from linerate.errors import bad_input

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

PANEL_INCHES = (2.5, 2.0)
NARROW_INCHES = (2.1, 1.8)
"""Of a panel where more than two stand side by side."""
KEY_INCHES = 1.5
"""Room for the key at the right, and for labels."""
WIDTH_INCHES_MIN = 5.0
COLUMNS_MAX = 3
KeyPlace = Literal["outside right upper", "outside upper center", "outside upper right"]
"""Beside the panels, above their middle, or above their right."""
ROW_NAME_LENGTH = 18
"""A longer name of a row is broken at its comma."""
TITLE_LETTERS_MAX = 30
"""Of one line over the narrowest panel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panels:
    """What is drawn: its figure, and its axes with shape (rows, columns)."""

    figure: Figure | SubFigure
    axes: np.ndarray
    alone: bool = False
    """Whether it is one panel among the caller's own, which keeps labels and key to itself."""

    @property
    def whole(self) -> Figure:
        """The figure that is saved, whatever part of it was drawn."""
        return self.figure.figure

    def label(self, x: str, y: str) -> None:
        """Name the axes once for all panels; an empty name leaves those of the panels."""
        one = self.axes[0, 0]
        if x:
            one.set_xlabel(x) if self.alone else self.figure.supxlabel(x, fontsize="medium")
        if y:
            one.set_ylabel(y) if self.alone else self.figure.supylabel(y, fontsize="medium")

    def key(
        self, entries: Sequence[Artist], place: KeyPlace = "outside right upper", columns: int = 1
    ) -> None:
        """Put the key beside the panels, or above them."""
        if self.alone:
            self.axes[0, 0].legend(handles=list(entries), fontsize="x-small")
            return
        drawn = self.figure.legend(handles=list(entries), loc=place, ncols=columns)
        if place != "outside upper center":
            drawn.set_alignment("left")

    def keep(self, count: int) -> None:
        """Leave the panels behind so many empty; what stands above one gets the axis' numbers."""
        columns = self.axes.shape[1]
        every = list(self.axes.flat)
        for number, axes in enumerate(every):
            if number >= count:
                axes.set_axis_off()
                every[number - columns].tick_params(labelbottom=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How panels stand."""

    rows: int
    columns: int
    inches: tuple[float, float] | None = None
    """Size of the whole; by default a panel keeps its size whatever their number."""
    share_x: bool = True
    share_y: bool | Literal["all", "col"] = "all"
    widths: Sequence[float] | None = None
    """Of the columns, as ratios."""


def panels(layout: Layout, ax: Axes | None = None) -> Panels:
    """Lay out a grid of panels.

    Parameters
    ----------
    layout
        How they stand.
    ax
        Axes of the caller's to draw in: one panel is drawn in them, several take their place.

    Raises
    ------
    BadInputError
        Several panels, and ``ax`` has no place in a grid that they could take.
    """
    rows, columns = layout.rows, layout.columns
    if ax is not None and rows * columns == 1:
        return Panels(figure=ax.figure, axes=np.array([[ax]]), alone=True)
    figure = _figure(layout) if ax is None else _in_place_of(ax, rows * columns)
    axes = figure.subplots(rows, columns, sharex=layout.share_x, sharey=layout.share_y,
                           squeeze=False, width_ratios=layout.widths)  # fmt: skip
    return Panels(figure=figure, axes=axes)


def panels_for(count: int, ax: Axes | None = None, *, share_x: bool = True) -> Panels:
    """Lay out so many panels, three beside each other at most."""
    columns = min(COLUMNS_MAX, count)
    layout = Layout(rows=-(-count // columns), columns=columns, share_x=share_x)
    grid = panels(layout, ax)
    grid.keep(count)
    return grid


def _figure(layout: Layout) -> Figure:
    # Figures are listed without being drawn, and matplotlib is slow to load.
    from matplotlib.figure import Figure

    if layout.inches is not None:
        return Figure(figsize=layout.inches)
    width, height = NARROW_INCHES if layout.columns > 2 else PANEL_INCHES
    across = max(layout.columns * width + KEY_INCHES, WIDTH_INCHES_MIN)
    return Figure(figsize=(across, layout.rows * height + 0.7))


def _in_place_of(ax: Axes, count: int) -> SubFigure:
    place = ax.get_subplotspec()
    if place is None:
        raise bad_input(
            "ax", "axes outside of a grid", why=f"the figure has {count} panels",
            allowed="axes of plt.subplots(), whose place they take", do="make the axes by it",
        )  # fmt: skip
    figure = cast("Figure", ax.figure)
    if figure.get_layout_engine() is None:
        # Otherwise the key lies over the panels.
        figure.set_layout_engine("constrained")
    ax.remove()
    return figure.add_subfigure(place)


def name_row(axes: Axes, name: str) -> None:
    """Write a row's name along its right side."""
    lines = name.replace(", ", ",\n") if len(name) > ROW_NAME_LENGTH else name
    axes.annotate(lines, xy=(1.03, 0.5), xycoords="axes fraction", rotation=270, ha="left",
                  va="center", multialignment="center")  # fmt: skip


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
