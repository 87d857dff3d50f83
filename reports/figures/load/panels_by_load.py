"""Panels and keys of what is drawn over load."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from linerate.reports.drawing.colours import AMOUNTS
from linerate.reports.drawing.keys import key_entry, key_measured
from linerate.reports.drawing.panels import Panels, panels_for
from linerate.reports.drawing.paths import path_rows
from linerate.reports.drawing.style import LINE_RATE, marker
from linerate.reports.figures.load.split_runs import STATISTICS
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import ARRIVALS, accesses_text

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

PANEL = ["datapath", "program", "memory_accesses", "queues", "frame_bytes"]
OFFERED = message("Offered load (Mpps)")
CPU = message("CPU use of the queues' cores (%)")
NOT_VARIED = message("the load was not varied")
TAIL = (AMOUNTS[0], AMOUNTS[2], AMOUNTS[4])
"""Colours of the median, the mean and what lies far out."""
ARRIVAL_NAMES = {**ARRIVALS, "": message("measured")}
"""In the order of their marks; without a name where the table does not say."""
STATISTIC_NAMES = {
    "p50": message("median"), "mean": message("mean"), "p99": message("99th percentile"),
}  # fmt: skip


def by_load(
    table: pd.DataFrame, words: Words, ax: Axes | None = None
) -> tuple[Panels, list[tuple[Axes, pd.DataFrame]]]:
    """One panel for each path, access count, queue count and frame size, named by what varies."""
    names = path_rows(table)
    order = list(names)
    groups = sorted(
        (rows for _, rows in table.groupby(PANEL)),
        key=lambda rows: (order.index(_pair(rows)), *rows[PANEL[2:]].iloc[0]),
    )
    grid = panels_for(len(groups), ax, share_x=False)
    found = list(zip(grid.axes.flat, groups, strict=False))
    varied = [name for name in PANEL[2:] if table[name].nunique() > 1]
    grid.titles([
        ", ".join([names[_pair(rows)], *_factors(rows.iloc[0], varied, words)])
        for _, rows in found
    ])  # fmt: skip
    return grid, found


def arrival_marker(arrivals: str) -> str:
    """Mark of an arrival process."""
    return marker(list(ARRIVAL_NAMES).index(arrivals))


def arrivals_key(table: pd.DataFrame, words: Words) -> list[Artist]:
    """Entries of the arrival processes of a table."""
    there = set(table["arrivals"].dropna())
    return [
        key_measured(words(name), marker=arrival_marker(arrivals))
        for arrivals, name in ARRIVAL_NAMES.items() if arrivals in there
    ]  # fmt: skip


def latency_key(table: pd.DataFrame, words: Words) -> list[Artist]:
    """Entries of statistics, arrivals and what the model gives."""
    there = set(table["statistic"].dropna())
    key = [
        key_measured(words(STATISTIC_NAMES[statistic]), color=TAIL[index])
        for index, statistic in enumerate(STATISTICS) if statistic in there
    ]  # fmt: skip
    key += arrivals_key(table, words)
    if (table["series"] == "model").any():
        key.append(key_entry(words("queueing model: mean")))
        key.append(key_entry(words("fitted capacity"), **LINE_RATE))
    return key


def percent(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Give a share and its ends in percent."""
    columns = [name, f"min_{name}", f"max_{name}"]
    return table.assign(**{column: 100.0 * table[column] for column in columns})


def _pair(rows: pd.DataFrame) -> tuple[str, str]:
    return str(rows["datapath"].iloc[0]), str(rows["program"].iloc[0])


def _factors(row: pd.Series, varied: Sequence[str], words: Words) -> list[str]:
    named = {
        "memory_accesses": accesses_text(row["memory_accesses"], words),
        "queues": words.queues(int(row["queues"])),
        "frame_bytes": words("{n} B", n=words.number(row["frame_bytes"])),
    }
    return [named[name] for name in varied]
