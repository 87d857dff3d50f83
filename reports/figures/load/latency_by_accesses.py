"""Latency over memory accesses at line-rate load: colours by statistic."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.line_rate import SATURATING_RATIO
from linerate.reports.drawing.axes import accesses_axis, log_axis
from linerate.reports.drawing.marks import bars, line
from linerate.reports.drawing.panels import Panels, panels_for
from linerate.reports.drawing.style import colour, styled
from linerate.reports.figures.captions import marks_of_statistics
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.labels import ACCESSES, LATENCY
from linerate.reports.figures.load.panels_by_load import arrival_marker, latency_key
from linerate.reports.figures.load.split_runs import STATISTICS, latencies, split_rows
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import conditions
from linerate.reports.language.factors import varying
from linerate.reports.language.names import path_name
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.cells import varied
from linerate.reports.tables.spreads import rows_where
from linerate.units import line_rate_mpps

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANEL = ("datapath", "program", "queues", "link_gbps", "frame_bytes")


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Quantiles and mean over accesses in the split mode, where line rate was offered."""
    rows = split_rows(section.rows("capacity"))
    line_mpps = line_rate_mpps(rows["link_gbps"], rows["frame_bytes"])
    offered = rows["offered_mpps"].to_numpy(dtype=np.float64)
    latency = rows["latency_mean_us"].astype("float64").to_numpy()
    saturated = np.isfinite(line_mpps) & (offered >= SATURATING_RATIO * line_mpps)
    rows = varied(rows_where(rows, saturated & (latency > 0.0)), "memory_accesses")
    if rows.empty:
        return LeftOut(
            why=message("the table has no latency at line-rate load over several access counts")
        )
    return pd.concat(latencies(rows), ignore_index=True).assign(series="measured")


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw latency over accesses."""
    loads = conditions(table, varying(table, PANEL), words)
    grid = panels_for(len(loads), ax)
    for axes, (name, rows) in zip(grid.axes.flat, loads, strict=False):
        axes.set_title(name or path_name(rows["datapath"].iloc[0], rows["program"].iloc[0]))
        for index, statistic in enumerate(STATISTICS):
            for _, own in rows[rows["statistic"] == statistic].groupby("arrivals"):
                drawn = {"color": colour(index)}
                line(axes, own, "memory_accesses", "latency_us", linewidth=0.6, **drawn)
                bars(axes, own, "memory_accesses", "latency_us",
                     marker=arrival_marker(own["arrivals"].iloc[0]), **drawn)  # fmt: skip
        log_axis(axes, "y", words)
        accesses_axis(axes, list(table["memory_accesses"].unique()), words)
    grid.label(words(ACCESSES), words(LATENCY))
    grid.key(latency_key(table, words))
    return grid


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what the marks are."""
    yield words("One-way latency per packet, line rate offered.")
    yield from marks_of_statistics(table, words)


FIGURE = FigureKind(
    name="latency-by-accesses", title=message("Latency against memory accesses"),
    studies=("capacity",), table=table, draw=draw, caption=caption, place=70,
)  # fmt: skip
