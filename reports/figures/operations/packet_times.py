"""Service time of a packet in each run, and the operations that it had."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from linerate.models.operations.additivity import Operations, operations_in
from linerate.models.runs.selection import believable
from linerate.models.runs.training import AT_CEILING, CAPACITY_MODE
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
    ``PLACE``, ``working_set_bytes``, ``operations``, and what ``chosen`` tells of them: ``kind``
    and ``times``.
    """
    rows, _ = believable(section.rows("operations"))
    rows = factored(rows, [*PLACE, "working_set_bytes", "operations"])
    if (rows["mode"] == CAPACITY_MODE).any():
        rows = rows_where(rows, rows["mode"] == CAPACITY_MODE)
    line = line_rate_mpps(rows["link_gbps"], rows["frame_bytes"])
    ceiling = np.fmin(line, rows["offered_mpps"].to_numpy(dtype=np.float64))
    mpps = rows["forwarded_mpps"].to_numpy(dtype=np.float64)
    rows = rows_where(rows, (mpps > 0.0) & (mpps < AT_CEILING * ceiling))
    found = [chosen(text) for text in rows["operations"]]
    return rows.assign(
        kind=[kind for kind, _ in found], times=[times for _, times in found],
        packet_ns=1e3 * rows["queues"] / rows["forwarded_mpps"].astype("float64"),
    )  # fmt: skip


def places(
    rows: pd.DataFrame,
) -> Iterator[tuple[pd.Series, dict[Operations, NDArray[np.float64]]]]:
    """Packets of each place: its factors, and the times of each vector of operations by run.

    A working set makes a place of its own; one without runs of no operations borrows those that
    have no working set.
    """
    none = rows[rows["operations"].map(operations_in) == ()]
    without_set = none[~(none["working_set_bytes"] > 0.0)]
    for _, own in rows.groupby([*PLACE, "working_set_bytes"], dropna=False, sort=True):
        times = _by_operations(own)
        if () not in times:
            borrowed = _same(without_set, own.iloc[0])
            times |= _by_operations(borrowed) if len(borrowed) else {}
        yield own.iloc[0], times


def _same(rows: pd.DataFrame, place: pd.Series) -> pd.DataFrame:
    alike = np.ones(len(rows), dtype=np.bool_)
    for name in PLACE:
        alike &= (rows[name].eq(place[name]) | (rows[name].isna() & pd.isna(place[name]))).to_numpy(
            dtype=np.bool_
        )
    return rows_where(rows, alike)


def _by_operations(rows: pd.DataFrame) -> dict[Operations, NDArray[np.float64]]:
    found: dict[Operations, NDArray[np.float64]] = {}
    for text, own in rows.groupby("operations", sort=True):
        operations = operations_in(str(text))
        if operations is not None:
            found[operations] = own["packet_ns"].to_numpy(dtype=np.float64)
    return found


def chosen(text: str) -> tuple[str, float]:
    """Name the one kind and how often; no name for none, ``mixed`` for several.

    >>> chosen('{"hash_lookup": 16}'), chosen("{}"), chosen('{"a": 1, "b": 2}')
    (('hash_lookup', 16.0), ('', 0.0), ('mixed', 0.0))
    """
    operations = operations_in(text)
    if operations is None or len(operations) > 1:
        return MIXED, 0.0
    return (operations[0][0], float(operations[0][1])) if operations else ("", 0.0)
