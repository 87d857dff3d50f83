"""Tables of searches: bounds as they were found, and latency over the load that is carried."""

from __future__ import annotations

import numpy as np
import pandas as pd

from linerate.models.runs.selection import believable
from linerate.reports.conditions import LOAD, factored
from linerate.reports.sections import Section
from linerate.reports.tables.cells import LeftOut, rows_where, spreads_of
from linerate.tables.columns import SETTINGS

OWN = tuple(name for name in (*LOAD, *SETTINGS) if name not in ("offered_mpps", "generator",
                                                              "pings_per_second"))  # fmt: skip
CELL = ("datapath", "program", "memory_accesses", *dict.fromkeys(OWN))
"""What is searched; the rate is what the search varies."""
POINT = (*CELL, "load_percent")
GOALS = ("ndr", "throughput", "pdr", "mrr")
BOUND = ("lower_mpps", "upper_mpps", "conditional_mpps", "lower_loss_ratio", "limited_by",
         "mrr_mpps", "mrr_min_mpps", "mrr_max_mpps")  # fmt: skip
STATISTICS = {"p50": "latency_p50_us", "p99": "latency_p99_us"}
NO_CURVE = LeftOut(why="no load-latency curve was taken")


def searches_table(section: Section) -> pd.DataFrame | LeftOut:
    """Each search of each goal that is a rate, with its bounds; nothing is averaged."""
    found = section.searches
    rows = found[found["goal"].isin(GOALS)] if found is not None else None
    if rows is None or rows.empty:
        return LeftOut(why="no search was finished")
    table = factored(rows, CELL)[[*CELL, "search_id", "repetition", "preset", "goal", *BOUND]]
    return table.assign(runs=1, series="measured").reset_index(drop=True)


def curve_table(section: Section) -> pd.DataFrame | LeftOut:
    """Latency over load in percent of the highest rate that its own search found carried.

    The load itself, ``offered_mpps``, differs between repetitions as their searches do.
    """
    rows = _points(section, "lower_mpps", rfc2544=False)
    if rows.empty:
        return NO_CURVE
    parts = [
        spreads_of(rows.assign(latency_us=rows[column].astype("float64")), POINT,
                   ["latency_us", "offered_mpps"]).assign(statistic=name)
        for name, column in STATISTICS.items() if column in rows.columns
    ]  # fmt: skip
    table = pd.concat(parts, ignore_index=True) if parts else rows.head(0)
    table = table[table["latency_us"] > 0.0] if len(table) else table
    return table.assign(series="measured") if len(table) else NO_CURVE


def frame_loss_table(section: Section) -> pd.DataFrame | LeftOut:
    """Lost share over load in percent of the highest of its search (RFC 2544, section 26.3)."""
    rows = _points(section, "max_mpps", rfc2544=True)
    if rows.empty or "intended_packets" not in rows.columns:
        return LeftOut(why="no search took the frame loss of RFC 2544")
    carried = rows["forwarded_packets"].astype("float64") / rows["intended_packets"].astype(
        "float64"
    )
    rows = rows.assign(loss_percent=100.0 * (1.0 - carried))
    return spreads_of(rows, POINT, ["loss_percent"]).assign(series="measured")


def _points(section: Section, base: str, *, rfc2544: bool) -> pd.DataFrame:
    """Take the loads that a search led to, in percent of the highest ``base`` over its goals."""
    rows, _ = believable(section.rows("searches"))
    found = section.searches
    if found is None or rows.empty or "run_id" not in rows.columns:
        return rows.head(0)
    of_rfc2544 = (found["preset"] == "rfc2544").fillna(False).astype(bool)
    highest = found[of_rfc2544 == rfc2544].groupby("search_id")[base].max()
    rows = factored(rows, [*CELL, "offered_mpps"])
    # A point is named after its search: s0001-r1-poisson-0.500000.
    search_ids = rows["run_id"].astype(str).str.rsplit("-", n=2).str[0]
    rows = rows.assign(
        load_percent=(100.0 * rows["offered_mpps"] / search_ids.map(highest)).round(1)
    )
    return rows_where(rows, np.isfinite(rows["load_percent"]))
