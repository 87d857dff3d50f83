"""The factors that tell the cells of one figure apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from linerate.measure.datapaths.registry import column_named
from linerate.tables.runs import text_of

LOAD = (
    "mode", "queues", "frame_bytes", "link_gbps", "generator", "arrivals", "offered_mpps",
    "burst_packets", "flows", "sources", "protocol", "tcp_flags", "payload", "pings_per_second",
)  # fmt: skip
"""Factors that every study has; cells that differ in any are never pooled."""
HOOK = ("datapath", "filter_hook", "filter_flavour")
SOCKET = ("socket_hook", "sockets", "zero_copy", "need_wakeup", "busy_poll")
CHAIN = ("chain_function", "chain_topology", "nsh_aware", "metadata_type", "chain_work_ns")
PIPELINE = (
    "pipeline_port", "pipeline_device", "pipeline_burst_packets", "hugepages",
    "memory_channels", "oversubscribed", "table_entries", "registers",
)  # fmt: skip
YES, NO = "yes", "no"


def factored(rows: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Give rows every one of these factors in one form, so that they can be grouped by it.

    Text and flags become text, empty where not known; numbers become floats, nan there.
    """
    return rows.assign(**{name: _plain(rows, name) for name in names})


def _plain(rows: pd.DataFrame, name: str) -> pd.Series:
    number = column_named(name).kind in ("count", "number")
    if name not in rows.columns:
        return pd.Series(np.nan if number else "", index=rows.index)
    if number:
        return rows[name].astype("float64")
    if column_named(name).kind == "flag":
        if set(rows[name].dropna()) <= {YES, NO, ""}:
            return rows[name]  # in this form already
        flags = rows[name].astype("boolean")
        shown = np.where(flags.fillna(False).astype(bool), YES, NO)
        return pd.Series(shown, index=rows.index).where(flags.notna(), "")
    return text_of(rows, name)


def varying(table: pd.DataFrame, names: Sequence[str], within: Sequence[str] = ()) -> list[str]:
    """Factors that a report must name: those that the earlier ones do not determine.

    >>> table = pd.DataFrame({"mode": ["serial"] * 2, "frame_bytes": [64, 128], "queues": [1, 2]})
    >>> varying(table, ["mode", "frame_bytes", "queues"])
    ['frame_bytes']
    """
    named: list[str] = []
    for name in names:
        known = [*within, *named]
        if known:
            counts = table.groupby(known, dropna=False)[name].nunique(dropna=False)
        else:
            counts = pd.Series([table[name].nunique(dropna=False)])
        if int(counts.max()) > 1:
            named.append(name)
    return named
