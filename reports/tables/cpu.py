"""Tables of CPU use against load and against accesses."""

from __future__ import annotations

import numpy as np
import pandas as pd

from linerate.models import cells_of
from linerate.models.latency.busy import utilisation
from linerate.models.runs.selection import alike, believable
from linerate.models.runs.training import CAPACITY_MODE
from linerate.reports.sections import Section
from linerate.reports.tables.cells import (
    PAIR,
    SATURATING,
    LeftOut,
    access_grid,
    crossed,
    inside,
    rows_where,
    spread_of,
    stacked,
    varied,
)
from linerate.reports.tables.latency import (
    known_to_latency,
    load_grid,
    several_loads,
    split_rows,
    summarised,
)
from linerate.units import line_rate_mpps

FACTORS = [*PAIR, "queues", "frame_bytes", "link_gbps"]


def cpu_by_load_table(section: Section) -> pd.DataFrame | LeftOut:
    """Busy share of the queues' cores over offered load, measured and by the model."""
    rows = split_rows(section.rows("capacity"))
    rows = rows[rows["cpu_busy_ratio"].notna()]
    if rows.empty:
        return LeftOut(why="the table has no CPU use taken in the split mode under a named load")
    rows = several_loads(rows)
    if rows.empty:
        return LeftOut(why="the load was not varied in the split mode")
    grid = load_grid(known_to_latency(section, rows))
    if section.latency is not None and not grid.empty:
        grid = grid.assign(cpu_busy_ratio=section.latency.predict(grid).cpu_busy_ratio)
    else:
        grid = grid.head(0)
    return stacked(measured=summarised(rows, "cpu_busy_ratio", "cpu_busy_ratio"), model=grid)


def cpu_by_accesses_table(section: Section) -> pd.DataFrame | LeftOut:
    """Busy share over accesses with line rate offered, measured and by the model."""
    rows = _line_rate_rows(section.rows("capacity"))
    rows = varied(rows[rows["cpu_busy_ratio"].notna()], "memory_accesses")
    if rows.empty:
        return LeftOut(why="the table has no CPU use at line-rate load over several access counts")
    busy = rows.groupby([*FACTORS, "memory_accesses"])["cpu_busy_ratio"]
    measured = spread_of(busy, "cpu_busy_ratio")
    groups = measured[FACTORS].drop_duplicates()
    grid = crossed(groups, "memory_accesses", access_grid(measured["memory_accesses"]))
    return stacked(
        measured=measured,
        model=_predicted(section, inside(grid, measured, "memory_accesses")),
    )


def _line_rate_rows(runs: pd.DataFrame) -> pd.DataFrame:
    """Believed runs of the capacity mode to which line rate was offered, one link speed."""
    rows, notes = believable(runs)
    rows, _ = alike(rows, notes)
    if "mode" in rows.columns and bool((rows["mode"] == CAPACITY_MODE).any()):
        rows = rows_where(rows, rows["mode"].isin([CAPACITY_MODE]))
    line = line_rate_mpps(rows["link_gbps"], rows["frame_bytes"])
    offered = rows["offered_mpps"].astype("float64").fillna(np.inf).to_numpy()
    rows = rows_where(rows, np.isfinite(line) & (offered >= SATURATING * line))
    if rows.empty:
        return rows
    return rows_where(rows, rows["link_gbps"] == rows["link_gbps"].mode().iloc[0])


def _predicted(section: Section, grid: pd.DataFrame) -> pd.DataFrame:
    if section.predictor is None or grid.empty:
        return grid.head(0)
    cells = cells_of(grid, section.predictor.pairs)
    service_mpps = section.predictor.model.limits(cells).service_mpps
    return grid.assign(cpu_busy_ratio=utilisation(cells.line_mpps, service_mpps))
