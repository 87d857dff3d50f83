"""Rows and keys that the figures of throughput share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.reports.drawing.colours import amounts
from linerate.reports.drawing.keys import key_entry, key_mark, key_measured
from linerate.reports.drawing.marks import bars, line, of
from linerate.reports.drawing.style import LINE_RATE, colour, marker
from linerate.reports.figures.labels import MEASURED, MODEL
from linerate.reports.language import Words
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.cells import PAIR
from linerate.reports.tables.left_out import NO_RUNS
from linerate.units import line_rate_mpps

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

ACCESS_COUNTS_MAX = 4
"""Access counts that share one panel or row, so that it can be read."""
LINE = [*PAIR, "memory_accesses", "queues", "frame_bytes", "mpps"]
CELL = [*LINE, "min_mpps", "max_mpps", "runs"]


def left_out(section: Section, why: LeftOut) -> LeftOut:
    """Say why nothing is drawn: a factor was not varied, or there is no run at all."""
    return why if section.pairs else NO_RUNS


def line_rates(cells: pd.DataFrame) -> pd.DataFrame:
    """Line rate of each cell that has one."""
    rated = cells.assign(mpps=line_rate_mpps(cells["link_gbps"], cells["frame_bytes"]))
    return of_line(rated[np.isfinite(rated["mpps"])])


def of_line(lines: pd.DataFrame) -> pd.DataFrame:
    """Keep the columns of a line."""
    return lines[[name for name in LINE if name in lines.columns]]


def measured_and_model(
    axes: Axes, rows: pd.DataFrame, x: str, index: int, palette: tuple[str, ...]
) -> None:
    """Draw what was measured of one thing, and the model's line."""
    line(axes, of(rows, "model"), x, "mpps", color=colour(index, palette))
    bars(axes, of(rows, "measured"), x, "mpps", color=colour(index, palette), marker=marker(index))


def ordered_key(names: list[str]) -> list[Artist]:
    """Entries of things that have an order."""
    palette = amounts(len(names))
    return [key_mark(name, index, palette) for index, name in enumerate(names)]


def series_key(table: pd.DataFrame, words: Words, line_rate: str) -> list[Artist]:
    """Entries of the series that the table has."""
    key = [key_measured(words(MEASURED))]
    if (table["series"] == "model").any():
        key.append(key_entry(words(MODEL)))
    if (table["series"] == "line_rate").any():
        key.append(key_entry(line_rate, **LINE_RATE))
    return key
