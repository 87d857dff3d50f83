"""The columns of a cell: its factors, its load and its datapath's settings, as a row has them."""

from __future__ import annotations

import json
from functools import lru_cache

import pandas as pd

from linerate.cells import Cell
from linerate.tables.columns import CELL
from linerate.tables.settings_columns import own_settings

ACCESS_KINDS = {"map_lookup": "map_lookup", "xsk_memcpy": "memcpy_6b"}
"""Operation kind of the memory accesses of the programs that make them."""


def cell_columns(cell: Cell) -> dict[str, object]:
    """Every column that a cell decides; settings of other datapaths are left out."""
    return {
        "lab": cell.lab,
        "mode": cell.mode,
        "datapath": cell.datapath,
        "program": cell.program,
        "memory_accesses": cell.memory_accesses,
        "operations": _spelled(cell.operations),
        "working_set_bytes": cell.working_set_bytes,
        "queues": cell.queues,
        "link_gbps": cell.link_gbps,
        "lcores": cell.queues if cell.datapath == "swx" else None,
        "settings": "+".join(name for name, _ in cell.settings),
    } | (_load_columns(cell) | dict(cell.settings))


def accesses_once(runs: pd.DataFrame) -> pd.DataFrame:
    """Leave ``memory_accesses`` alone to say how many accesses a packet makes.

    Older tables named them among the ``operations`` too, and a newer run of the same cell would
    pass for another.
    """
    if not {"operations", "program"} <= set(runs.columns):
        return runs
    named = runs["program"].isin(list(ACCESS_KINDS)) & runs["operations"].notna()
    return runs.assign(operations=runs["operations"].where(~named, "{}"))


def cell_codes(runs: pd.DataFrame) -> pd.Series[int]:
    """Give each cell of a table a number: runs that differ in no column of a cell share one.

    The one definition for lint, selection, fits and reports. Cells are numbered by datapath and
    program first.
    """
    columns = [*(name for name in CELL if name in runs.columns), *own_settings(runs)]
    # What all runs share tells none apart, and takes as long to group by as what they differ in.
    varied = [name for name in columns if _differs(runs[name])]
    return runs.groupby(varied or columns[:1], dropna=False, sort=True).ngroup()


def _differs(values: pd.Series) -> bool:
    """Whether a column has several values, one that is missing among them."""
    known = values.dropna()
    if len(known) < len(values):
        return len(known) > 0
    return bool((known != known.iloc[0]).any()) if len(known) else False


@lru_cache(maxsize=1024)
def _spelled(operations: tuple[tuple[str, int], ...]) -> str:
    return json.dumps(dict(operations))


def _load_columns(cell: Cell) -> dict[str, object]:
    load = cell.load
    return {
        "frame_bytes": load.frame_bytes,
        "frame_mix": "+".join(f"{weight}x{size}" for weight, size in load.frame_mix),
        "offered_mpps": load.offered_mpps,
        "arrivals": load.arrivals,
        "burst_packets": load.burst_packets,
        "flows": load.flows,
        "generator": load.generator,
        "protocol": load.packet.protocol,
        "tcp_flags": load.packet.tcp_flags,
        "payload": load.packet.payload,
        "sources": load.packet.sources,
        "pings_per_second": load.pings_per_second,
    }
