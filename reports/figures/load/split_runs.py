"""Runs under a named load, of the split mode or of tables that know no modes."""

from __future__ import annotations

import numpy as np
import pandas as pd

from linerate.models.runs.selection import alike, believable
from linerate.reports.section import Section
from linerate.reports.tables.cells import PAIR
from linerate.reports.tables.grids import crossed
from linerate.reports.tables.spreads import rows_where, spread_of
from linerate.tables.runs import text_of

POINTS = 40
"""Points of the queueing model's line."""
GROUP = [*PAIR, "mode", "memory_accesses", "queues", "frame_bytes", "link_gbps"]
"""What has a panel of its own."""
STATISTICS = {"p50": "latency_p50_us", "mean": "latency_mean_us", "p99": "latency_p99_us"}


def split_rows(runs: pd.DataFrame) -> pd.DataFrame:
    """Believed runs under a named load, of each program's usual settings.

    Of the split mode; where a table names no mode, as those of NICs do, generator and device under
    test have cores of their own.
    """
    if "mode" in runs.columns:
        runs = rows_where(runs, runs["mode"].isna() | runs["mode"].isin(["split"]))
    rows, notes = believable(runs)
    rows, _ = alike(rows, notes)
    rows = rows.assign(arrivals=text_of(rows, "arrivals"), mode=text_of(rows, "mode"))
    return rows_where(rows, np.isfinite(rows["offered_mpps"].astype("float64")))


def several_loads(rows: pd.DataFrame) -> pd.DataFrame:
    """Keep what has a curve: one load alone is a point."""
    loads = rows.groupby(GROUP)["offered_mpps"].transform("nunique")
    return rows_where(rows, loads >= 2)


def summarised(rows: pd.DataFrame, column: str, name: str) -> pd.DataFrame:
    """Median, smallest and largest of a column over the runs of one load."""
    values = rows.assign(**{name: rows[column].astype("float64")})
    by_load = values[values[name].notna()].groupby([*GROUP, "arrivals", "offered_mpps"])[name]
    return spread_of(by_load, name)


def latencies(rows: pd.DataFrame) -> list[pd.DataFrame]:
    """Each statistic of latency that the runs have, as ``summarised``."""
    return [
        summarised(rows, column, "latency_us").assign(statistic=name)
        for name, column in STATISTICS.items() if column in rows.columns
    ]  # fmt: skip


def load_grid(section: Section, rows: pd.DataFrame) -> pd.DataFrame:
    """Lay out the loads of a model's line, from the smallest to the largest measured.

    Only of the paths whose queue was fitted.
    """
    known = section.latency.pairs if section.latency is not None else ()
    rows = rows[[pair in known for pair in zip(rows["datapath"], rows["program"], strict=True)]]
    ends = rows.groupby(GROUP)["offered_mpps"].agg(["min", "max"]).reset_index()
    steps = crossed(ends, "step", np.linspace(0.0, 1.0, POINTS))
    return steps.assign(
        offered_mpps=steps["min"] + steps["step"] * (steps["max"] - steps["min"])
    ).drop(columns=["min", "max", "step"])
