"""Small multiples: a grid of panels with shared axes and one key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from re import sub
from textwrap import wrap
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from linerate.errors import bad_input
from linerate.reports.drawing.axes import announced
from linerate.reports.drawing.direct import GAP, ROW_NAME
from linerate.reports.drawing.ends import name_lines
from linerate.reports.drawing.page import page

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from linerate.reports.language import Words

ROW_INCHES = {1: 2.5, 2: 1.95, 3: 1.75}
"""Height of a row of so many panels over both columns; of more the last."""
NARROW_ROW_INCHES = {1: 2.0, 2: 1.5}
"""In one column of two."""
COLUMNS_MAX = 3
"""On the widest page; on a narrow one half as many."""
ROUND_INCHES = 0.5
"""Room for labels above and below all panels."""
KEY_LINE_INCHES = 0.16
LETTER_INCHES = 0.057
"""Width of a letter of a key, about."""
KEY_HANDLE_INCHES = 0.4
KEY_GAP_INCHES = 0.1
TITLE_LINE_INCHES = 0.14
TITLE_SHARE = 0.8
"""Of a panel's part of the page; the rest is of its axis and of its neighbour."""
TITLE_LETTER_INCHES = 0.062
GLUE = "\u00a0"
"""A space at which no line is broken."""
ROW_NAME_LENGTH = 18
"""A longer name of a row is broken at its comma."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panels:
    """What is drawn: its figure, and its axes with shape (rows, columns)."""

    figure: Figure | SubFigure
    axes: np.ndarray
    alone: bool = False
    """Whether it is one panel among the caller's own, which keeps labels and key to itself."""

    @property
    def shared(self) -> Axes:
        """One of the panels: scale, ends and ticks that it is given are those of all beside it.

        Given to each of n panels that share an axis they are passed on n times n times.
        """
        one: Axes = self.axes[0, 0]
        return one

    @property
    def whole(self) -> Figure:
        """The figure that is saved, whatever part of it was drawn."""
        return self.figure.figure

    def label(self, x: str, y: str, words: Words | None = None) -> None:
        """Name the axes once for all panels; an empty name leaves those of the panels.

        With ``words`` a scale that is linear around zero and logarithmic beyond is announced.
        """
        one = self.axes[0, 0]
        if words is not None:
            x, y = announced(x, one, "x", words), announced(y, one, "y", words)
        if x:
            one.set_xlabel(x) if self.alone else self.figure.supxlabel(x, fontsize="medium")
        if y:
            one.set_ylabel(y) if self.alone else self.figure.supylabel(y, fontsize="medium")

    def key(self, entries: Sequence[Artist]) -> None:
        """Name lines at their ends, where that fits; put a key beside or above for the rest.

        It stands beside one or two panels of a wide page, above all others. Scales stand before.
        """
        if self.alone:
            self.axes[0, 0].legend(handles=list(entries))
            return
        entries = name_lines(self.axes, entries, self.whole.get_figheight())
        if not entries:
            return
        lines = sum(str(entry.get_label()).count("\n") + 1 for entry in entries)
        if self.beside and lines * KEY_LINE_INCHES < self.whole.get_figheight():
            drawn = self.figure.legend(handles=list(entries), loc="outside right upper")
            drawn.set_alignment("left")
            return
        for entry in entries:
            entry.set_label(str(entry.get_label()).replace("\n", " "))
        columns = key_columns(entries)
        self.grow(KEY_LINE_INCHES * -(-len(entries) // columns))
        self.figure.legend(handles=list(entries), loc="outside upper center", ncols=columns,
                           columnspacing=1.2)  # fmt: skip

    @property
    def beside(self) -> bool:
        """Whether a key has room at the right."""
        return not page().narrow and self.axes.shape[1] <= 2

    def grow(self, inches: float) -> None:
        """Give a figure of our own more height, as far as a page has any."""
        if not self.alone and self.figure is self.whole:
            height = self.whole.get_figheight() + inches
            self.whole.set_figheight(min(height, page().height_inches_max))

    def titles(self, names: Sequence[str]) -> None:
        """Name the panels, broken to their width; the figure grows by the lines beyond one."""
        columns = self.axes.shape[1]
        letters = int(TITLE_SHARE * page().width_inches / columns / TITLE_LETTER_INCHES)
        broken = [wrapped(name, letters) for name in names]
        for axes, name in zip(self.axes.flat, broken, strict=False):
            axes.set_title(name)
        for row in range(0, len(broken), columns):
            lines = max(name.count("\n") for name in broken[row : row + columns])
            self.grow(TITLE_LINE_INCHES * lines)

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
    row_inches: float | None = None
    """Height of a row of panels, by default what the page gives it."""
    stacked: bool = False
    """Whether the panels of its one row stand below each other where the page is narrow."""
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
    if layout.stacked and page().narrow:
        layout = replace(layout, rows=columns, columns=1, widths=None)
    figure = _figure(layout) if ax is None else _in_place_of(ax, rows * columns)
    axes = figure.subplots(layout.rows, layout.columns, sharex=layout.share_x,
                           sharey=layout.share_y, squeeze=False,
                           width_ratios=layout.widths)  # fmt: skip
    return Panels(figure=figure, axes=axes)


def panels_for(
    count: int, ax: Axes | None = None, *, share_x: bool = True, share_y: bool = True,
    columns: int = COLUMNS_MAX,
) -> Panels:  # fmt: skip
    """Lay out so many panels, as many beside each other as the page has room for."""
    columns = min(columns if not page().narrow else -(-columns // 2), page().columns, count)
    layout = Layout(rows=-(-count // columns), columns=columns, share_x=share_x,
                    share_y="all" if share_y else False)  # fmt: skip
    grid = panels(layout, ax)
    grid.keep(count)
    return grid


def _figure(layout: Layout) -> Figure:
    # Figures are listed without being drawn, and matplotlib is slow to load.
    from matplotlib.figure import Figure

    return Figure(figsize=inches_of(layout.rows, layout.columns, layout.row_inches))


def inches_of(
    rows: int, columns: int, row_inches: float | None = None
) -> tuple[float, float]:  # fmt: skip
    """Width and height of a figure of so many panels on the page, without its key."""
    usual = NARROW_ROW_INCHES if page().narrow else ROW_INCHES
    row = row_inches or usual.get(columns, min(usual.values()))
    return page().width_inches, min(rows * row + ROUND_INCHES, page().height_inches_max)


def key_columns(entries: Sequence[Artist]) -> int:
    """How many columns of a key, filled one after the other, stand beside each other above."""
    widths = [KEY_HANDLE_INCHES + LETTER_INCHES * len(str(entry.get_label())) for entry in entries]
    for columns in range(len(widths), 1, -1):
        if columns * KEY_GAP_INCHES + _across(widths, columns) <= page().width_inches:
            return columns
    return 1


def _across(widths: Sequence[float], columns: int) -> float:
    """Width of so many columns: the first ones have one entry more, where it does not come out."""
    least, more = divmod(len(widths), columns)
    total, first = 0.0, 0
    for column in range(columns):
        length = least + (column < more)
        total += max(widths[first : first + length])
        first += length
    return total


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
    axes.annotate(lines, xy=(1.0, 0.5), xycoords="axes fraction", xytext=(GAP, 0),
                  textcoords="offset points", rotation=270, ha="left", va="center",
                  multialignment="center", gid=ROW_NAME)  # fmt: skip


def wrapped(name: str, letters: int = 30) -> str:
    r"""Break a name into lines of so many letters: at its commas, and at words where it must be.

    A number stays beside what it counts.

    >>> wrapped("forward, 50 read_32 + 50 write_32, bursts of 32")
    'forward,\n50 read_32 + 50 write_32,\nbursts of 32'
    """
    lines: list[str] = []
    for part in sub(r"(?<=\d) (?=\S)", GLUE, name.replace("\n", ", ")).split(", "):
        if lines and len(lines[-1]) + len(part) + 2 <= letters:
            lines[-1] += f", {part}"
        else:
            lines[-1:] = [f"{lines[-1]},"] if lines else []
            lines += wrap(part, letters, break_long_words=False) or [""]
    return "\n".join(lines).replace(GLUE, " ")
