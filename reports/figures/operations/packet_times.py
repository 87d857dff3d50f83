"""Service time of a packet in each run, and the operations that it had."""

from __future__ import annotations

import numpy as np
import pandas as pd

from linerate.line_rate import sustains
from linerate.models.operations.work import operations_in
from linerate.models.runs.selection import believable
from linerate.models.runs.training import CAPACITY_MODE
from linerate.reports.language.factors import LOAD, PIPELINE, factored
from linerate.reports.section import Section
from linerate.reports.tables.spreads import rows_where
from linerate.units import line_rate_mpps

PLACE = ("datapath", "program", "lcores", *LOAD, *PIPELINE)
"""A cost is the difference to the same place without operations."""
MIXED = "mixed"


def packet_times(section: Section) -> pd.DataFrame:
    """Believed serial runs below line rate with ``packet_ns``, queues over rate.

    Returns
    -------
    ``PLACE``, ``working_set_bytes``, ``operations``, and from ``chosen`` their ``kind`` and
    ``times``.
    """
    rows, _ = believable(section.rows("operations"))
    rows = factored(rows, [*PLACE, "working_set_bytes", "operations"])
    if (rows["mode"] == CAPACITY_MODE).any():
        rows = rows_where(rows, rows["mode"] == CAPACITY_MODE)
    line = line_rate_mpps(rows["link_gbps"], rows["frame_bytes"])
    ceiling = np.fmin(line, rows["offered_mpps"].to_numpy(dtype=np.float64))
    mpps = rows["forwarded_mpps"].to_numpy(dtype=np.float64)
    rows = rows_where(rows, (mpps > 0.0) & ~sustains(mpps, ceiling))
    found = [chosen(text) for text in rows["operations"]]
    return rows.assign(
        kind=[kind for kind, _ in found], times=[times for _, times in found],
        packet_ns=1e3 * rows["queues"] / rows["forwarded_mpps"].astype("float64"),
    )  # fmt: skip


def chosen(text: str) -> tuple[str, float]:
    """Name the one kind and how often; no name for none, ``mixed`` for several.

    >>> chosen('{"hash_lookup": 16}'), chosen("{}"), chosen('{"a": 1, "b": 2}')
    (('hash_lookup', 16.0), ('', 0.0), ('mixed', 0.0))
    """
    operations = operations_in(text)
    if operations is None or len(operations) > 1:
        return MIXED, 0.0
    return (operations[0][0], float(operations[0][1])) if operations else ("", 0.0)
