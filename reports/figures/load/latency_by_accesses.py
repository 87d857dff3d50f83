"""Mean latency over memory accesses at line-rate load: colours by frame size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.line_rate import SATURATING_RATIO
from linerate.reports.drawing.axes import log_axis
from linerate.reports.drawing.panels import Panels
from linerate.reports.drawing.paths import panels_left_out
from linerate.reports.drawing.style import styled
from linerate.reports.figures.captions import marks_of
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.load.by_accesses import draw_by_accesses
from linerate.reports.figures.load.split_runs import split_rows
from linerate.reports.language import Words, message
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.cells import PAIR, inside, varied
from linerate.reports.tables.grids import access_grid, crossed
from linerate.reports.tables.spreads import rows_where, spread_of, stacked
from linerate.units import line_rate_mpps

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FACTORS = [*PAIR, "mode", "queues", "frame_bytes", "link_gbps"]
MEAN = message("Mean latency (µs)")


def table(section: Section) -> pd.DataFrame | LeftOut:
    """Mean latency over accesses where line rate was offered, and that of full rings."""
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
    times = rows.assign(latency_us=rows["latency_mean_us"].astype("float64"))
    measured = spread_of(times.groupby([*FACTORS, "memory_accesses"])["latency_us"], "latency_us")
    groups = measured[FACTORS].drop_duplicates()
    grid = crossed(groups, "memory_accesses", access_grid(measured["memory_accesses"]))
    model = _in_full_rings(section, inside(grid, measured, "memory_accesses"))
    return stacked(measured=measured, model=model)


def _in_full_rings(section: Section, grid: pd.DataFrame) -> pd.DataFrame:
    """Predict the cells whose cores cannot serve their load; of the others nothing is known."""
    overload = section.file.overload if section.file is not None else None
    if overload is None:
        return grid.head(0)
    known = [pair in overload.pairs for pair in zip(grid["datapath"], grid["program"], strict=True)]
    asked = grid[known]
    asked = asked.assign(offered_mpps=line_rate_mpps(asked["link_gbps"], asked["frame_bytes"]))
    times = asked.assign(latency_us=overload.predict(asked)).drop(columns="offered_mpps")
    return rows_where(times, np.isfinite(times["latency_us"]))


@styled()
def draw(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw latency over accesses."""
    drawn = draw_by_accesses(table, "latency_us", MEAN, words, ax)
    log_axis(drawn.shared, "y", words)
    return drawn


def caption(table: pd.DataFrame, words: Words, section: Section) -> Iterator[str]:
    """Say what marks and lines are."""
    yield words("One-way latency per packet, line rate offered.")
    yield from marks_of(table, words)
    yield from panels_left_out(table, words)
    if "model" in set(table["series"]):
        yield words("Lines: the fitted mean in full rings, where the cores cannot serve the load.")


FIGURE = FigureKind(
    name="latency-by-accesses", title=message("Latency against memory accesses"),
    studies=("capacity",), table=table, draw=draw, caption=caption, place=70,
)  # fmt: skip
