"""CPU use of each core over accesses: how evenly queues are served."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.models.runs.selection import believable
from linerate.models.runs.training import CAPACITY_MODE
from linerate.reports.drawing.axes import accesses_axis, ticks
from linerate.reports.drawing.keys import dots_key
from linerate.reports.drawing.marks import joined
from linerate.reports.drawing.panels import Panels
from linerate.reports.drawing.paths import by_path_and_queues, panels_left_out
from linerate.reports.drawing.style import styled
from linerate.reports.figures.captions import marks_of
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import ACCESSES
from linerate.reports.figures.load.panels_by_load import percent
from linerate.reports.language import Words, message
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.cells import PAIR, varied
from linerate.reports.tables.spreads import rows_where, spread_of
from linerate.tables.runs import text_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CELL = [*PAIR, "mode", "queues", "frame_bytes", "link_gbps", "memory_accesses"]
NO_CORES = LeftOut(why=message("no run of several queues says how busy each core was"))
BYTES_MAX = 4096
"""Of the list of one run."""


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Busy share of each core at the largest frame, of cells with several queues.

    Returns
    -------
    ``CELL``, ``statistic`` (the core's place, from 1), ``cpu_busy_ratio`` with its ends, ``runs``.
    """
    rows, _ = believable(section.rows("capacity"))
    if "cpu_per_core" not in rows.columns or rows.empty:
        return NO_CORES
    rows = rows.assign(mode=text_of(rows, "mode"))
    if (rows["mode"] == CAPACITY_MODE).any():
        rows = rows_where(rows, rows["mode"] == CAPACITY_MODE)
    rows = rows_where(rows, rows["queues"] > 1)
    # Few texts of many runs: each is read once.
    code, texts = pd.factorize(rows["cpu_per_core"], use_na_sentinel=False)
    of_text = [shares_of(text) for text in texts]
    shares = [of_text[one] for one in code]
    rows = rows[CELL].assign(shares=pd.Series(shares, index=rows.index, dtype="object"))
    rows = rows_where(rows, rows["shares"].str.len() == rows["queues"])
    rows = varied(rows, "memory_accesses")
    if rows.empty:
        return NO_CORES
    rows = rows_where(rows, rows["frame_bytes"] == rows["frame_bytes"].max())
    each = rows.explode("shares").astype({"shares": "float64"})
    each = each.assign(statistic=1 + each.groupby(level=0).cumcount())
    found = each.groupby([*CELL, "statistic"])["shares"]
    return spread_of(found, "cpu_busy_ratio").assign(series="measured")


def shares_of(text: object) -> list[float]:
    """Read the shares of a run's cores; none where it has no list of numbers.

    >>> shares_of("[0.5, 1.0]"), shares_of("[true]"), shares_of(float("nan"))
    ([0.5, 1.0], [], [])
    """
    if not isinstance(text, str) or len(text) > BYTES_MAX:
        return []
    try:
        found = json.loads(text)
    except ValueError:
        return []
    numbers = isinstance(found, list) and all(type(share) in (int, float) for share in found)
    return [float(share) for share in found] if numbers else []


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw each core's share over accesses: panels by path and queues."""
    shown = percent(table, "cpu_busy_ratio")
    grid, found = by_path_and_queues(shown, words, ax)
    cores = sorted(table["statistic"].unique())
    for axes, rows in found:
        for index, core in enumerate(cores):
            joined(axes, rows[rows["statistic"] == core], ("memory_accesses", "cpu_busy_ratio"),
                   index)  # fmt: skip
        accesses_axis(axes, list(np.unique(table["memory_accesses"])), words)
        axes.set_ylim(0.0, 105.0)
        axes.yaxis.set_major_formatter(ticks(words))
    grid.label(words(ACCESSES), words("CPU use of one core (%)"), words)
    grid.key(dots_key([words("core {n}", n=words.number(core)) for core in cores], joined=True))
    return grid


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what the marks are."""
    yield words("Largest frame, at which cores are least at their limit; each queue has a core.")
    yield from marks_of(table, words)
    yield from panels_left_out(table, words)


FIGURE = FigureKind(
    name="cpu-per-core", title=message("CPU use of each core"),
    studies=("capacity",), table=table, draw=draw, caption=caption, place=92,
)  # fmt: skip
