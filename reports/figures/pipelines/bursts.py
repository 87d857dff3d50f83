"""Throughput and latency of pipelines over the packets that a port takes at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.reports.drawing.axes import fixed_ticks, log_axis, ticks
from linerate.reports.drawing.gigabits import gigabits_axis
from linerate.reports.drawing.keys import dots_key, key_entry
from linerate.reports.drawing.marks import joined
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.style import styled
from linerate.reports.figures.captions import marks_of
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import LATENCY, THROUGHPUT
from linerate.reports.figures.pipelines.cells import (
    CELL,
    pipeline_rows,
    serial,
    varied_alone,
    without,
)
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import condition, conditions
from linerate.reports.language.factors import LOAD, PIPELINE, varying
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.spreads import rows_where, spreads_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BURST = "pipeline_burst_packets"
STATISTICS = {"mpps": "mpps", "p50": "latency_p50_us", "p99": "latency_p99_us"}
"""Name of each, and its column in a run."""


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Throughput and latency over the packets that a port takes at once.

    Returns
    -------
    ``CELL, statistic, value`` with its ends: ``mpps``, and in us ``p50`` and ``p99`` where the
    latency was measured too.
    """
    rows = pipeline_rows(section)
    parts = []
    for statistic, column in STATISTICS.items():
        own = serial(rows) if statistic == "mpps" else _with_latency(rows, column)
        own = varied_alone(own, [*without(BURST), "operations"], BURST)
        if len(own):
            own = own.assign(value=own[column].astype("float64"))
            parts.append(spreads_of(own, CELL, ["value"]).assign(statistic=statistic))
    if not parts:
        return LeftOut(why=message("the burst of no pipeline was varied"))
    return pd.concat(parts, ignore_index=True).assign(series="measured")


def _with_latency(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    if column not in rows.columns:
        return rows.head(0)
    return rows_where(rows, rows[column].notna())


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw throughput, and latency where there is any, over the burst."""
    there = set(table["statistic"])
    shown = [side for side in (["mpps"], ["p50", "p99"]) if there & set(side)]
    grid = panels(Layout(rows=1, columns=len(shown), share_y="col", stacked=True), ax)
    others = [factor for factor in PIPELINE if factor != BURST]
    varied = varying(table, ("program", *LOAD, "operations", *others), within=("statistic", BURST))
    if "program" in varied and "operations" not in varied:
        varied.insert(1, "operations")  # a program's name does not say what its packets take
    found = conditions(table, varied, words)
    for axes, statistics in zip(grid.axes.flat, shown, strict=True):
        for index, (_, rows) in enumerate(found):
            for statistic in statistics:
                own = rows[rows["statistic"] == statistic]
                drawn = {"markerfacecolor": "white"} if statistic == "p99" else {}
                joined(axes, own, (BURST, "value"), index, **drawn)
        _axes(axes, table, words, of_latency=statistics != ["mpps"])
    grid.label(words("Packets taken at once"), "")
    names = [_named(rows.iloc[0], varied, words) for _, rows in found]
    key = dots_key(names, joined=True) if any(names) else []
    if there - {"mpps"}:
        key += [key_entry(words("median"), marker="o", linewidth=0.6),
                key_entry(words("99th percentile"), marker="o", markerfacecolor="white",
                          linewidth=0.6, linestyle="--")]  # fmt: skip
    if key:
        grid.key(key)
    return grid


def _axes(axes: Axes, table: pd.DataFrame, words: Words, *, of_latency: bool) -> None:
    axes.set_xscale("log", base=2)
    bursts = np.sort(table[BURST].unique().astype(float))
    fixed_ticks(axes, "x", bursts, words, digits=4)
    axes.set_ylabel(words(LATENCY) if of_latency else words(THROUGHPUT))
    if of_latency:
        log_axis(axes, "y", words)
    else:
        axes.set_ylim(bottom=0.0)
        axes.yaxis.set_major_formatter(ticks(words))
        gigabits_axis([axes], table["frame_bytes"], words)


def _named(row: pd.Series, varied: Sequence[str], words: Words) -> str:
    return condition(row, varied, words).replace(", ", "\n")


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what the marks are."""
    if set(table["statistic"]) - {"mpps"}:
        yield words("Latency: one way per packet.")
    yield from marks_of(table, words)


FIGURE = FigureKind(
    name="pipeline-bursts", title=message("Throughput and latency of pipelines against the burst"),
    studies=("pipelines",), table=table, draw=draw, caption=caption, place=30,
)  # fmt: skip
