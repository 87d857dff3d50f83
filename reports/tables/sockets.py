"""Table of what the settings of an AF_XDP socket are worth."""

from __future__ import annotations

import pandas as pd

from linerate.models.runs.selection import believable
from linerate.reports.conditions import LOAD, SOCKET, factored
from linerate.reports.sections import Section
from linerate.reports.tables.cells import LeftOut, few, spreads_of

PROGRAM = ("program", "memory_accesses")
KEYS = (*PROGRAM, *SOCKET, "socket_batch_packets", *LOAD)
FEW_ACCESSES = 3
"""Access counts that are shown: the settings matter most where the program does least."""


def af_xdp_settings_table(section: Section) -> pd.DataFrame | LeftOut:
    """Throughput at the smallest frame by every setting that was varied."""
    rows, _ = believable(section.rows("sockets"))
    rows = factored(rows, KEYS)
    rows = rows[rows["frame_bytes"] == rows["frame_bytes"].min()]
    settings = [*SOCKET, "socket_batch_packets"]
    tried = rows.groupby([*PROGRAM, *LOAD], dropna=False)[settings].transform("nunique")
    rows = rows[(tried > 1).any(axis=1)]
    if rows.empty:
        return LeftOut(why="no setting of a socket was varied")
    rows = rows[rows["memory_accesses"].isin(few(rows["memory_accesses"], FEW_ACCESSES))]
    rows = rows.assign(mpps=rows["forwarded_mpps"].astype("float64"))
    return spreads_of(rows, KEYS, ["mpps"]).assign(datapath="af_xdp", series="measured")
