"""Tables of searches: bounds as they were found, and latency over the load that is carried."""

from __future__ import annotations

import pandas as pd

from linerate.columns import SETTINGS
from linerate.models.selection import believable
from linerate.reports.conditions import LOAD, factored
from linerate.reports.sections import Section
from linerate.reports.tables.cells import LeftOut, rows_where, spreads_of

OWN = tuple(name for name in (*LOAD, *SETTINGS) if name not in ("offered_mpps", "generator",
                                                              "pings_per_second"))  # fmt: skip
CELL = ("datapath", "program", "memory_accesses", *dict.fromkeys(OWN))
"""What is searched; the rate is what the search varies."""
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
    """Latency over load in percent of the highest rate that its own search found carried."""
    rows, _ = believable(section.rows("searches"))
    if section.searches is None or rows.empty or "run_id" not in rows.columns:
        return NO_CURVE
    rows = factored(rows, [*CELL, "arrivals", "offered_mpps"])
    carried = _carried_mpps(section.searches)
    base = [_of_its_search(str(run_id), carried) for run_id in rows["run_id"]]
    rows = rows.assign(load_percent=(100.0 * rows["offered_mpps"] / base).round(1))
    rows = rows_where(rows, rows["load_percent"].notna())
    keys = [*CELL, "load_percent"]
    parts = [
        spreads_of(rows.assign(latency_us=rows[column].astype("float64")), keys,
                   ["latency_us"]).assign(statistic=name)
        for name, column in STATISTICS.items() if column in rows.columns
    ]  # fmt: skip
    table = pd.concat(parts, ignore_index=True) if parts else rows.head(0)
    table = table[table["latency_us"] > 0.0] if len(table) else table
    return table.assign(series="measured") if len(table) else NO_CURVE


def _carried_mpps(searches: pd.DataFrame) -> dict[str, float]:
    """Highest lower bound of each search: that is what its curve is in percent of."""
    highest = searches.groupby("search_id")["lower_mpps"].max().dropna()
    return {str(search_id): float(mpps) for search_id, mpps in highest.items() if mpps > 0.0}


def _of_its_search(run_id: str, carried: dict[str, float]) -> float:
    """Find a point's search, which it is named after: ``s0001-r1-poisson-0.500000``."""
    search_id = run_id.rsplit("-", 2)[0]
    return carried.get(search_id, float("nan"))
