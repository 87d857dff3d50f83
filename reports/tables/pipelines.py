"""Tables of DPDK's pipelines: throughput over operations, frame size, burst and lcores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from linerate.models.operations.additivity import operations_in
from linerate.models.runs.selection import believable
from linerate.models.runs.training import CAPACITY_MODE
from linerate.reports.conditions import LOAD, PIPELINE, factored
from linerate.reports.sections import Section
from linerate.reports.tables.cells import LeftOut, rows_where, spreads_of
from linerate.reports.tables.packet_times import MIXED

FACTORS = ("program", "lcores", *LOAD, *PIPELINE)
CELL = (*FACTORS, "operations")
FAMILIES = {
    "register": "registers", "table": "tables", "hash": "hashes", "recirculate": "recirculation",
}  # fmt: skip
"""By the first word of a kind; the others calculate."""
ARITHMETIC = "arithmetic"
NO_PIPELINE = LeftOut(why="no run of a pipeline can be believed")


def pipeline_operations_table(section: Section) -> pd.DataFrame | LeftOut:
    """Throughput over how many operations a packet has, at the place with most kinds.

    Returns
    -------
    ``FACTORS, family, kind, times`` and ``mpps`` with its ends; each kind has the packet of none
    for 0. Mixes of equal counts are a kind of their own.
    """
    rows = _of_most(_rows(section), "operations")
    if rows.empty:
        return NO_PIPELINE
    named = [_series(text) for text in rows["operations"]]
    rows = rows.assign(kind=[kind for kind, _ in named], times=[times for _, times in named])
    counted = rows_where(rows, ~rows["kind"].isin(["", MIXED]))
    none = rows_where(rows, rows["kind"] == "")
    if counted.empty:
        return LeftOut(why="no pipeline was given operations")
    origins = none.drop(columns="kind").merge(
        counted[["program", "kind"]].drop_duplicates(), on="program"
    )
    both = pd.concat([counted, origins], ignore_index=True)
    both = both.assign(family=[family_of(kind) for kind in both["kind"]])
    keys = [*FACTORS, "family", "kind", "times"]
    return spreads_of(both, keys, ["mpps"]).assign(series="measured")


def pipeline_sizes_table(section: Section) -> pd.DataFrame | LeftOut:
    """Throughput over frame size, of each number of each kind that was measured with several."""
    rows = _rows(section)
    named = [_series(text) for text in rows["operations"]]
    rows = rows.assign(kind=[kind for kind, _ in named], times=[times for _, times in named])
    rows = rows_where(rows, ~rows["kind"].isin(["", MIXED]))
    sizes = _varied(rows, [*_without("frame_bytes"), "kind", "times"], "frame_bytes")
    if sizes.empty:
        return LeftOut(why="the frame size of no pipeline with operations was varied")
    sizes = _of_most(sizes, "frame_bytes", keep=("frame_bytes",))
    keys = [*FACTORS, "kind", "times"]
    return spreads_of(sizes, keys, ["mpps"]).assign(series="measured")


def pipeline_bursts_table(section: Section) -> pd.DataFrame | LeftOut:
    """Throughput and latency over the packets that a port takes at once.

    Returns
    -------
    ``CELL, statistic, value`` with its ends: ``mpps``, and in us ``p50`` and ``p99`` where the
    latency was measured too.
    """
    rows, _ = believable(section.rows("pipelines"))
    rows = factored(rows, CELL).assign(mpps=rows["forwarded_mpps"].astype("float64"))
    by_mode = {
        "mpps": rows_where(rows, (rows["mode"] == CAPACITY_MODE) & (rows["mpps"] > 0.0)),
        "p50": _with_latency(rows, "latency_p50_us"),
        "p99": _with_latency(rows, "latency_p99_us"),
    }
    parts = []
    for statistic, own in by_mode.items():
        value = {"mpps": "mpps"}.get(statistic, f"latency_{statistic}_us")
        own = _varied(own, [*_without("pipeline_burst_packets"), "operations"],
                      "pipeline_burst_packets")  # fmt: skip
        if len(own):
            own = own.assign(value=own[value].astype("float64"))
            parts.append(spreads_of(own, CELL, ["value"]).assign(statistic=statistic))
    if not parts:
        return LeftOut(why="the burst of no pipeline was varied")
    return pd.concat(parts, ignore_index=True).assign(series="measured")


def pipeline_lcores_table(section: Section) -> pd.DataFrame | LeftOut:
    """Throughput over lcores, of all together."""
    rows = _rows(section)
    others = [name for name in CELL if name not in ("lcores", "queues", "oversubscribed")]
    rows = _varied(rows, others, "queues")
    if rows.empty:
        return LeftOut(why="the lcores of no pipeline were varied")
    return spreads_of(rows, CELL, ["mpps"]).assign(series="measured")


def rates_table(section: Section) -> pd.DataFrame | LeftOut:
    """Take the rate of every pipeline on packets from nowhere.

    Returns
    -------
    ``CELL``, ``mpps, gbps, packet_ns`` each with its ends, ``runs``. Gbit/s are of frames with
    FCS; the time is of one lcore.
    """
    rows = _rows(section)
    if rows.empty:
        return NO_PIPELINE
    rows = rows.assign(
        gbps=rows["mpps"] * rows["frame_bytes"] * 8e-3,
        packet_ns=1e3 * rows["queues"] / rows["mpps"],
    )
    return spreads_of(rows, CELL, ["mpps", "gbps", "packet_ns"]).assign(series="measured")


def family_of(kind: str) -> str:
    """Name what a kind is one of.

    >>> family_of("register_read_32"), family_of("add")
    ('registers', 'arithmetic')
    """
    return FAMILIES.get(kind.split("_")[0], ARITHMETIC)


def _rows(section: Section) -> pd.DataFrame:
    """Believed runs of the serial mode that forwarded something, with ``mpps``."""
    rows, _ = believable(section.rows("pipelines"))
    rows = factored(rows, CELL).assign(mpps=rows["forwarded_mpps"].astype("float64"))
    return rows_where(rows, (rows["mode"] == CAPACITY_MODE) & (rows["mpps"] > 0.0))


def _with_latency(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    if name not in rows.columns:
        return rows.head(0)
    return rows_where(rows, rows[name].notna())


def _series(text: str) -> tuple[str, float]:
    """Name of what grows in a pipeline, and how often it is there: equal counts grow together.

    >>> _series('{"a": 10, "b": 10}'), _series('{"a": 10, "b": 5}'), _series("{}")
    (('a + b', 10.0), ('mixed', 0.0), ('', 0.0))
    """
    operations = operations_in(text)
    if operations is None or len({times for _, times in operations}) > 1:
        return MIXED, 0.0
    if not operations:
        return "", 0.0
    return " + ".join(kind for kind, _ in operations), float(operations[0][1])


def _varied(rows: pd.DataFrame, others: Sequence[str], name: str) -> pd.DataFrame:
    """Rows of which a factor has several values where all others are the same."""
    if rows.empty:
        return rows
    counts = rows.groupby(list(others), dropna=False)[name].transform("nunique")
    return rows_where(rows, counts >= 2)


def _without(name: str) -> list[str]:
    return [factor for factor in FACTORS if factor != name]


def _of_most(rows: pd.DataFrame, name: str, keep: Sequence[str] = ()) -> pd.DataFrame:
    """Rows of the place, of each program, at which most values of a factor were measured."""
    if rows.empty:
        return rows
    place = [factor for factor in FACTORS if factor not in keep]
    found = rows.assign(
        place=rows.groupby(place, dropna=False, sort=True).ngroup(),
        values=rows.groupby(place, dropna=False)[name].transform("nunique"),
    )
    best = found.sort_values(["values", "place"], ascending=[False, True]).groupby("program")
    kept = best["place"].transform("first").reindex(found.index)
    return rows_where(rows, np.asarray(found["place"] == kept))
