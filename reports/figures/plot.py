"""One figure of a section, drawn for a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linerate.errors import bad_input
from linerate.reports.figures.figure import FigureKind
from linerate.reports.language import Words
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot(
    kind: FigureKind, section: Section, ax: Axes | None = None, words: Words | None = None
) -> Axes | np.ndarray:
    """Draw a figure, in a new one or in the place of ``ax``.

    Returns
    -------
    The axes of its panel; of several panels an array of shape (rows, columns).

    Raises
    ------
    BadInputError
        These runs have nothing to draw, or ``ax`` no place for several panels.
    """
    words = Words() if words is None else words
    table = kind.table(section)
    if isinstance(table, LeftOut):
        raise bad_input("figure", kind.name, why=words(table.why),
                        allowed="runs that vary what the figure shows",
                        do="draw another figure, or measure such runs")  # fmt: skip
    grid = kind.draw(table, words, ax)
    return grid.axes[0, 0] if grid.axes.size == 1 else grid.axes
