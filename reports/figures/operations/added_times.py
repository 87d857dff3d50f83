"""The time that one operation adds to a packet, in each run."""

from __future__ import annotations

import pandas as pd

from linerate.reports.figures.operations.packet_times import MIXED, PLACE, packet_times
from linerate.reports.language import message
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut
from linerate.reports.tables.spreads import rows_where, spreads_of

KEYS = (*PLACE, "working_set_bytes", "kind", "times")
NO_COSTS = LeftOut(why=message("no run of one kind of operation has its counterpart without any"))


def added_times(section: Section) -> pd.DataFrame | LeftOut:
    """Time that one operation adds to a packet on a core: (1/p - 1/p of none) * queues / times.

    Returns
    -------
    ``KEYS``, ``ns, min_ns, max_ns`` (median and ends over the runs against the median without
    operations) and ``runs``, with the column ``series``. Runs at line rate say nothing of a cost
    and are left out.
    """
    rows = packet_times(section)
    rows = rows_where(rows, rows["kind"] != MIXED)
    none = rows[rows["kind"] == ""]
    reference = _references(rows[rows["kind"] != ""], none)
    found = reference[reference["ns_of_none"].notna()]
    if found.empty:
        return NO_COSTS
    found = found.assign(ns=(found["packet_ns"] - found["ns_of_none"]) / found["times"])
    return spreads_of(found, KEYS, ["ns"]).assign(series="measured")


def _references(rows: pd.DataFrame, none: pd.DataFrame) -> pd.DataFrame:
    """Each run beside the median without operations: of its working set, else of none."""
    exact = [*PLACE, "working_set_bytes"]
    by_set = none.groupby(exact, dropna=False)["packet_ns"].median().rename("own_ns").reset_index()
    without_set = none[~(none["working_set_bytes"] > 0.0)]
    any_set = without_set.groupby(list(PLACE), dropna=False)["packet_ns"].median()
    both = rows.merge(by_set, on=exact, how="left").merge(
        any_set.rename("any_ns").reset_index(), on=list(PLACE), how="left"
    )
    return both.assign(ns_of_none=both["own_ns"].fillna(both["any_ns"]))
