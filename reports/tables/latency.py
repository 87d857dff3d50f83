"""Tables of latency against offered load."""

from __future__ import annotations

import numpy as np
import pandas as pd

from linerate.models.runs.selection import alike, believable
from linerate.reports.sections import Section
from linerate.reports.tables.cells import (
    PAIR,
    SATURATING,
    LeftOut,
    crossed,
    rows_where,
    spread_of,
    varied,
)
from linerate.units import line_rate_mpps

POINTS = 40
"""Points of the queueing model's line."""
GROUP = [*PAIR, "memory_accesses", "queues", "frame_bytes", "link_gbps"]
"""What has a panel of its own."""
STATISTICS = {"p50": "latency_p50_us", "mean": "latency_mean_us", "p99": "latency_p99_us"}


def split_rows(runs: pd.DataFrame) -> pd.DataFrame:
    """Believed runs of the split mode under a named load, of each program's usual settings."""
    if "mode" not in runs.columns:
        return runs.head(0)
    rows, notes = believable(rows_where(runs, runs["mode"].isin(["split"])))
    rows, _ = alike(rows, notes)
    arrivals = rows["arrivals"] if "arrivals" in rows.columns else pd.Series("", index=rows.index)
    rows = rows.assign(arrivals=arrivals.fillna("").astype(str))
    return rows_where(rows, np.isfinite(rows["offered_mpps"].astype("float64")))


def latency_table(section: Section) -> pd.DataFrame | LeftOut:
    """Quantiles and mean of each measured load, the queueing model's mean, and the capacity."""
    rows = split_rows(section.rows("capacity"))
    rows = rows_where(rows, rows["latency_mean_us"].astype("float64") > 0.0)
    if rows.empty:
        return LeftOut(why="the table has no latency taken in the split mode")
    rows = several_loads(rows)
    if rows.empty:
        return LeftOut(why="the load was not varied in the split mode")
    measured = [
        summarised(rows, column, "latency_us").assign(statistic=name)
        for name, column in STATISTICS.items()
        if column in rows.columns
    ]
    parts = [table.assign(series="measured") for table in measured]
    return pd.concat([*parts, *_modelled(section, rows)], ignore_index=True)


def latency_by_accesses_table(section: Section) -> pd.DataFrame | LeftOut:
    """Quantiles and mean over accesses in the split mode, where line rate was offered."""
    rows = split_rows(section.rows("capacity"))
    line = line_rate_mpps(rows["link_gbps"], rows["frame_bytes"])
    offered = rows["offered_mpps"].to_numpy(dtype=np.float64)
    latency = rows["latency_mean_us"].astype("float64").to_numpy()
    rows = rows_where(rows, np.isfinite(line) & (offered >= SATURATING * line) & (latency > 0.0))
    rows = varied(rows, "memory_accesses")
    if rows.empty:
        return LeftOut(why="the table has no latency at line-rate load over several access counts")
    parts = [
        summarised(rows, column, "latency_us").assign(statistic=name)
        for name, column in STATISTICS.items()
        if column in rows.columns
    ]
    return pd.concat(parts, ignore_index=True).assign(series="measured")


def several_loads(rows: pd.DataFrame) -> pd.DataFrame:
    """Keep what has a curve: one load alone is a point."""
    loads = rows.groupby(GROUP)["offered_mpps"].transform("nunique")
    return rows_where(rows, loads >= 2)


def summarised(rows: pd.DataFrame, column: str, name: str) -> pd.DataFrame:
    """Median, smallest and largest of a column over the runs of one load."""
    values = rows.assign(**{name: rows[column].astype("float64")})
    by_load = values[values[name].notna()].groupby([*GROUP, "arrivals", "offered_mpps"])[name]
    return spread_of(by_load, name)


def load_grid(rows: pd.DataFrame) -> pd.DataFrame:
    """Lay out the loads of a model's line, from the smallest to the largest measured."""
    ends = rows.groupby(GROUP)["offered_mpps"].agg(["min", "max"]).reset_index()
    steps = crossed(ends, "step", np.linspace(0.0, 1.0, POINTS))
    return steps.assign(
        offered_mpps=steps["min"] + steps["step"] * (steps["max"] - steps["min"])
    ).drop(columns=["min", "max", "step"])


def known_to_latency(section: Section, rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of the paths whose queue was fitted."""
    known = section.latency.pairs if section.latency is not None else ()
    return rows[[pair in known for pair in zip(rows["datapath"], rows["program"], strict=True)]]


def _modelled(section: Section, rows: pd.DataFrame) -> list[pd.DataFrame]:
    grid = load_grid(known_to_latency(section, rows))
    if section.latency is None or grid.empty:
        return []
    said = section.latency.predict(grid)
    line = grid.assign(latency_us=said.mean_us, statistic="mean", series="model")
    capacity = grid.assign(offered_mpps=said.capacity_mpps, series="capacity")
    return [line, capacity.groupby(GROUP).first().reset_index()]
