"""What is drawn over memory accesses at line-rate load: colours by frame size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from linerate.reports.drawing.axes import accesses_axis
from linerate.reports.drawing.colours import amounts
from linerate.reports.drawing.keys import key_entry, key_mark, key_measured
from linerate.reports.drawing.marks import bars, line, of
from linerate.reports.drawing.panels import Panels
from linerate.reports.drawing.paths import by_path_and_queues
from linerate.reports.drawing.style import marker
from linerate.reports.figures.labels import ACCESSES, MEASURED, MODEL
from linerate.reports.language import Words

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_by_accesses(
    table: pd.DataFrame, column: str, label: str, words: Words, ax: Axes | None = None
) -> Panels:
    """Draw a column over accesses, a panel for each path and queue count.

    Parameters
    ----------
    table
        With ``series`` (``measured``, ``model``) and ends of what was measured.
    column
        What is drawn.
    label
        Its name, of the catalogue.
    words
        The reader's language.
    ax
        Axes in whose place it is drawn.
    """
    sizes = sorted(table["frame_bytes"].unique())
    grid, found = by_path_and_queues(table, words, ax)
    palette = amounts(len(sizes))
    for axes, own in found:
        for index, size in enumerate(sizes):
            drawn = {"color": palette[index]}
            line(axes, of(own, "model", frame_bytes=size), "memory_accesses", column, **drawn)
            bars(axes, of(own, "measured", frame_bytes=size), "memory_accesses", column,
                 marker=marker(index), **drawn)  # fmt: skip
    accesses_axis(grid.shared, list(of(table, "measured")["memory_accesses"].unique()), words)
    key = [
        key_mark(words("{n} B", n=words.number(size)), index, palette)
        for index, size in enumerate(sizes)
    ]
    key.append(key_measured(words(MEASURED)))
    if (table["series"] == "model").any():
        key.append(key_entry(words(MODEL)))
    grid.label(words(ACCESSES), words(label), words)
    grid.key(key)
    return grid
