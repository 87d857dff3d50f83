"""Latency percentiles with a tail drawn by its logarithm: half, one in ten, in a hundred, ..."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.reports.drawing.axes import log_axis
from linerate.reports.drawing.colours import amounts
from linerate.reports.drawing.keys import dots_key
from linerate.reports.drawing.marks import bars, line
from linerate.reports.drawing.panels import Panels
from linerate.reports.drawing.style import marker, styled
from linerate.reports.figures.captions import marks_of_statistics
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import LATENCY
from linerate.reports.figures.load.panels_by_load import by_load
from linerate.reports.figures.load.split_runs import split_rows, summarised
from linerate.reports.language import Words, message
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.grids import few
from linerate.reports.tables.spreads import rows_where

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TAIL = {"p50": 0.5, "p90": 0.1, "p99": 0.01, "p999": 0.001}
"""Share of the packets that wait longer than each percentile."""
LOADS_MAX = 3
NO_TAIL = LeftOut(why=message("no run under a named load has several percentiles of latency"))


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Percentiles of a few loads of each cell, over the share of packets that wait longer.

    Returns
    -------
    The columns of ``split_runs.summarised``, ``statistic``, ``longer_ratio``, and ``rank`` of the
    load among those shown, from 0.
    """
    rows = split_rows(section.rows("capacity"))
    known = [name for name in TAIL if f"latency_{name}_us" in rows.columns]
    parts = [
        summarised(rows, f"latency_{name}_us", "latency_us").assign(
            statistic=name, longer_ratio=TAIL[name]
        )
        for name in known
    ]
    found = pd.concat(parts, ignore_index=True) if len(parts) > 1 else rows.head(0)
    found = found[found["latency_us"] > 0.0] if len(found) else found
    if found.empty or found["statistic"].nunique() < 2:
        return NO_TAIL
    found = rows_where(found, found["arrivals"] == found["arrivals"].mode().iloc[0])
    places = ["datapath", "program", "memory_accesses", "queues", "frame_bytes"]
    ranked = [_few_loads(own) for _, own in found.groupby(places)]
    return pd.concat(ranked, ignore_index=True).assign(series="measured")


def _few_loads(rows: pd.DataFrame) -> pd.DataFrame:
    """Keep the smallest load of a cell, the largest, and one between."""
    loads = few(rows["offered_mpps"], LOADS_MAX)
    kept = rows[rows["offered_mpps"].isin(loads)]
    return kept.assign(rank=[loads.index(load) for load in kept["offered_mpps"]])


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw latency over the share of packets that wait longer: a line for each load."""
    grid, found = by_load(table, words, ax)
    ranks = sorted(table["rank"].unique())
    palette = amounts(len(ranks))
    for axes, rows in found:
        for index, rank in enumerate(ranks):
            own = rows[rows["rank"] == rank]
            drawn = {"color": palette[index]}
            line(axes, own, "longer_ratio", "latency_us", linewidth=0.7, **drawn)
            bars(axes, own, "longer_ratio", "latency_us", marker=marker(index), **drawn)
        _tail_axis(axes, table, words)
        log_axis(axes, "y", words)
    grid.label(words("Percentile of latency"), words(LATENCY))
    grid.key(dots_key([_load_name(table, rank, words) for rank in ranks], palette, joined=True))
    return grid


def _tail_axis(axes: Axes, table: pd.DataFrame, words: Words) -> None:
    """From the median to what is rare, each decade of the rest as wide."""
    shares = np.sort(table["longer_ratio"].unique())[::-1]
    axes.set_xscale("log")
    axes.set_xlim(1.4 * shares[0], shares[-1] / 1.4)
    axes.set_xticks(list(shares), [words.number(100.0 * (1.0 - share), 4) for share in shares])
    axes.minorticks_off()


def _load_name(table: pd.DataFrame, rank: int, words: Words) -> str:
    """Name the loads of a rank: one number, or its ends over the panels."""
    loads = table[table["rank"] == rank]["offered_mpps"]
    low, high = words.number(loads.min()), words.number(loads.max())
    if low == high:
        return words("{n} Mpps", n=low)
    return words("{low} to {high} Mpps", low=low, high=high)


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what the marks are."""
    yield words("One-way latency per packet; of each panel its smallest load, one between, and its "
                "largest; the axis is the logarithm of the packets that wait longer.")  # fmt: skip
    yield from marks_of_statistics(table, words)


FIGURE = FigureKind(
    name="latency-percentiles", title=message("Percentiles of latency by load"),
    studies=("capacity",), table=table, draw=draw, caption=caption, place=65,
)  # fmt: skip
