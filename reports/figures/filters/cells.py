"""Every statistic of each filter on each hook under each load."""

from __future__ import annotations

import pandas as pd

from linerate.models.runs.selection import believable
from linerate.reports.language import message
from linerate.reports.language.factors import HOOK, LOAD, factored
from linerate.reports.section import Section
from linerate.reports.section.rows import FILTER_PROGRAMS
from linerate.reports.tables import LeftOut
from linerate.reports.tables.spreads import number_of, spreads_of

KEYS = (*HOOK, "program", *LOAD)
STATISTICS = ("mpps", "peak_mpps", "steady_mpps", "dropped_packets", "duration_s", "busy_percent",
              "rtt_us", "ping_loss_percent", "memory_bytes")  # fmt: skip
PROGRAM_ORDER = {program: place for place, program in enumerate(FILTER_PROGRAMS)}


def filters_table(section: Section) -> pd.DataFrame | LeftOut:
    """Take every statistic, hooks ordered by their median rate."""
    rows, _ = believable(section.rows("filters"))
    if rows.empty:
        return LeftOut(why=message("no run of a filter can be believed"))
    table = spreads_of(_counted(factored(rows, KEYS)), KEYS, STATISTICS)
    place = table["program"].map(PROGRAM_ORDER).fillna(len(PROGRAM_ORDER))
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
    numbers = {name: number_of(rows, name) for name in (
        "peak_mpps", "steady_mpps", "duration_s", "memory_bytes", "ping_sent", "ping_received",
    )}  # fmt: skip
    sent = numbers["ping_sent"].where(numbers["ping_sent"] > 0.0)
    return rows.assign(
        mpps=rows["forwarded_mpps"].astype("float64"),
        dropped_packets=number_of(rows, "forwarded_packets"),
        busy_percent=100.0 * number_of(rows, "cpu_busy_ratio"),
        rtt_us=number_of(rows, "rtt_p50_us"),
        ping_loss_percent=100.0 * (1.0 - numbers["ping_received"] / sent),
        **numbers,
    )
