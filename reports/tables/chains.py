"""Tables of service function chains: round-trip time, throughput and loss over their length."""

from __future__ import annotations

import pandas as pd

from linerate.models.runs.selection import believable
from linerate.reports.conditions import CHAIN, LOAD, factored
from linerate.reports.sections import Section
from linerate.reports.tables.cells import LeftOut, rows_where, spreads_of, stacked
from linerate.reports.tables.straight_line import fit_line

KEYS = ("datapath", "program", *CHAIN, *LOAD)
LENGTHS_MIN = 3
"""Through two lengths any line fits."""


def chain_rtt_table(section: Section) -> pd.DataFrame | LeftOut:
    """Mean round-trip time over length, and each kind's line from the first function on."""
    rows = _rows(section)
    if "rtt_mean_us" not in rows.columns:
        return LeftOut(why="no ping ran through a chain")
    rows = rows.assign(rtt_us=rows["rtt_mean_us"].astype("float64"))
    rows = rows_where(rows, rows["rtt_us"].notna())
    if rows.empty:
        return LeftOut(why="no ping ran through a chain")
    # Without a function no process is woken: the first one adds more than each that follows.
    kinds = rows_where(rows, rows["chain_length"] >= 1).groupby(list(KEYS), dropna=False, sort=True)
    lines = [_line(of_kind) for _, of_kind in kinds
             if of_kind["chain_length"].nunique() >= LENGTHS_MIN]  # fmt: skip
    return stacked(
        measured=spreads_of(rows, [*KEYS, "chain_length"], ["rtt_us"]),
        line=pd.concat(lines, ignore_index=True) if lines else rows.head(0),
    )


def chain_rate_table(section: Section) -> pd.DataFrame | LeftOut:
    """Take the forwarded rate and share of lost packets over length."""
    rows = _rows(section)
    rows = rows_where(rows, rows["generator"] != "ping")
    if rows.empty or "intended_packets" not in rows.columns:
        return LeftOut(why="no load but pings was offered to a chain")
    carried = rows["forwarded_packets"].astype("float64") / rows["intended_packets"].astype(
        "float64"
    )
    rows = rows.assign(
        mpps=rows["forwarded_mpps"].astype("float64"), loss_percent=100.0 * (1.0 - carried)
    )
    names = ["mpps", "loss_percent"]
    return spreads_of(rows, [*KEYS, "chain_length"], names).assign(series="measured")


def _rows(section: Section) -> pd.DataFrame:
    rows, _ = believable(section.rows("chains"))
    return factored(rows, [*KEYS, "chain_length"])


def _line(runs: pd.DataFrame) -> pd.DataFrame:
    """Fit one kind of chain; each run is a point, so that a length with more runs weighs more."""
    line = fit_line(runs["chain_length"], runs["rtt_us"])
    ends = [runs["chain_length"].min(), runs["chain_length"].max()]
    kind = runs[list(KEYS)].iloc[[0, 0]].reset_index(drop=True)
    return kind.assign(
        chain_length=ends, rtt_us=[line.at(end) for end in ends],
        rtt_per_function_us=line.slope, rtt_of_none_us=line.intercept, r_squared=line.r_squared,
    )  # fmt: skip
