"""Tables of what an operation costs: the time it adds to a packet, over how many there are."""

from __future__ import annotations

import pandas as pd

from linerate.reports.sections import Section
from linerate.reports.tables.cells import LeftOut, rows_where, spreads_of
from linerate.reports.tables.packet_times import MIXED, PLACE, packet_times

KEYS = (*PLACE, "working_set_bytes", "kind", "times")
COST = ("ns", "min_ns", "max_ns")
NO_COSTS = LeftOut(why="no run of one kind of operation has its counterpart without any")


def operations_by_kind_table(section: Section) -> pd.DataFrame | LeftOut:
    """Time of one operation for the smallest working set of each kind, the dearest kind first.

    Of each program only the places at which most kinds were measured.
    """
    costs = operation_costs(section)
    if isinstance(costs, LeftOut):
        return costs
    costs = _best_known(costs)
    small = costs.groupby([*PLACE, "kind"], dropna=False)["working_set_bytes"].transform("min")
    costs = costs[(costs["working_set_bytes"] == small) | small.isna()]
    dearest = costs.groupby("kind")["ns"].transform("median")
    return costs.assign(dearest=-dearest).sort_values(["dearest", "kind", "times"]).drop(
        columns="dearest"
    )  # fmt: skip


def operations_by_working_set_table(section: Section) -> pd.DataFrame | LeftOut:
    """Time of one operation over the working set, at the most operations a packet of each kind."""
    costs = operation_costs(section)
    if isinstance(costs, LeftOut):
        return costs
    costs = costs[costs["working_set_bytes"] > 0.0]
    groups = costs.groupby([*PLACE, "kind", "times"], dropna=False)["working_set_bytes"]
    costs = costs[groups.transform("nunique") >= 2]
    if costs.empty:
        return LeftOut(why="the working set of no operation was varied")
    most = costs.groupby([*PLACE, "kind"], dropna=False)["times"].transform("max")
    return costs[costs["times"] == most]


def operation_costs(section: Section) -> pd.DataFrame | LeftOut:
    """Time that one operation adds to a packet on a core: (1/p - 1/p of none) * queues / times.

    Returns
    -------
    ``KEYS, COST`` (median and ends over the runs against the median without operations) and
    ``runs``, with the column ``series``. Runs at line rate say nothing of a cost and are left out.
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


def _best_known(costs: pd.DataFrame) -> pd.DataFrame:
    """Keep the places of each program at which most kinds were measured."""
    kinds = costs.groupby(list(PLACE), dropna=False)["kind"].transform("nunique")
    most = kinds.groupby([costs["datapath"], costs["program"]]).transform("max")
    return costs[kinds == most]


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
