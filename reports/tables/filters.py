"""Tables of filters: what each subsystem of the kernel drops, and what a ping sees meanwhile."""

from __future__ import annotations

import pandas as pd

from linerate.models.runs.selection import believable
from linerate.reports.conditions import HOOK, LOAD, factored
from linerate.reports.sections import Section
from linerate.reports.studies import FILTER_PROGRAMS
from linerate.reports.tables.cells import LeftOut, rows_where, spreads_of

KEYS = (*HOOK, "program", *LOAD)
STATISTICS = ("mpps", "peak_mpps", "steady_mpps", "dropped_packets", "duration_s", "busy_percent",
              "rtt_us", "ping_loss_percent", "memory_bytes")  # fmt: skip
NO_PINGS = LeftOut(why="no ping ran beside a filter")


def filters_rate_table(section: Section) -> pd.DataFrame | LeftOut:
    """Take the dropped rate of each filter on each hook; hooks ordered by their median."""
    table = filters_table(section)
    if isinstance(table, LeftOut):
        return table
    return table[[*KEYS, "mpps", "min_mpps", "max_mpps", "runs"]].assign(series="measured")


def filters_ping_table(section: Section) -> pd.DataFrame | LeftOut:
    """Round-trip time and lost pings under each filter's load, hooks as in the rates."""
    table = filters_table(section)
    if isinstance(table, LeftOut):
        return NO_PINGS
    shown = [f"{end}{name}" for name in ("rtt_us", "ping_loss_percent")
             for end in ("", "min_", "max_")]  # fmt: skip
    rows = rows_where(table, table["ping_loss_percent"].notna())
    return rows[[*KEYS, *shown, "runs"]].assign(series="measured") if len(rows) else NO_PINGS


def filters_table(section: Section) -> pd.DataFrame | LeftOut:
    """Every statistic of each filter on each hook under each load."""
    rows, _ = believable(section.rows("filters"))
    if rows.empty:
        return LeftOut(why="no run of a filter can be believed")
    table = spreads_of(_counted(factored(rows, KEYS)), KEYS, STATISTICS)
    order = {program: place for place, program in enumerate(FILTER_PROGRAMS)}
    place = table["program"].map(order).fillna(len(order))
    ranked = table.assign(overall=-_overall(table), place=place)
    return ranked.sort_values(["overall", *HOOK, "place", "program"], kind="stable").drop(
        columns=["overall", "place"]
    ).reset_index(drop=True)  # fmt: skip


def _overall(table: pd.DataFrame) -> pd.Series:
    """Median of each hook under the mode and generator that most hooks were measured with.

    A hook that was flooded by a slower generator too is not slower for it.
    """
    hook = table.groupby(list(HOOK), sort=False).ngroup()
    way = table.groupby(["mode", "generator"], sort=True).ngroup()
    hooks = hook.groupby(way).nunique()
    medians = table["mpps"].where(way == hooks.idxmax()).groupby(hook).transform("median")
    return medians.fillna(table["mpps"].groupby(hook).transform("median"))


def _counted(rows: pd.DataFrame) -> pd.DataFrame:
    """Give each run its statistics, as numbers; nan where the table lacks them."""
    numbers = {name: _number(rows, name) for name in (
        "peak_mpps", "steady_mpps", "duration_s", "memory_bytes", "ping_sent", "ping_received",
    )}  # fmt: skip
    sent = numbers["ping_sent"].where(numbers["ping_sent"] > 0.0)
    return rows.assign(
        mpps=rows["forwarded_mpps"].astype("float64"),
        dropped_packets=_number(rows, "forwarded_packets"),
        busy_percent=100.0 * _number(rows, "cpu_busy_ratio"),
        rtt_us=_number(rows, "rtt_p50_us"),
        ping_loss_percent=100.0 * (1.0 - numbers["ping_received"] / sent),
        **numbers,
    )


def _number(rows: pd.DataFrame, name: str) -> pd.Series:
    if name not in rows.columns:
        return pd.Series(float("nan"), index=rows.index)
    return rows[name].astype("float64")
