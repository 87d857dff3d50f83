"""The physics rules on a table of runs, own or imported, and signs that a run is to be doubted.

A run is *impossible* where a rule of physics is broken, *suspicious* where something else speaks
against it, and *fine* otherwise. Nothing is changed or left out: each remark says what to do.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from linerate.measure.trials.physics import NAN, PHYSICS, Observed
from linerate.records import VerdictState
from linerate.tables.cell_columns import cell_codes
from linerate.units import line_rate_mpps, wire_time_ns

LintState = Literal["impossible", "suspicious", "fine"]
VERDICTS: Mapping[str, VerdictState] = {
    "impossible": "invalid", "suspicious": "suspect", "fine": "valid",
}  # fmt: skip
"""What a state of this check is called in the column ``verdict``."""
LATENCIES = ("latency_p50_us", "latency_p90_us", "latency_p99_us", "latency_p999_us",
             "latency_max_us")  # fmt: skip
APART_RATIO = 0.10
"""Loads of one program may differ by more, but not without being looked at."""
BELOW_LINE_RATIO = 0.97
DRIFT_RATIO_MAX = 0.10
TICKS_MPPS = 0.5
"""Packets a core below which busy shares by ticks, as sar has them, miss most of the work."""
BUSY_RATIO_FULL = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One rule that one run breaks."""

    rule: str
    state: LintState
    reason: str
    do: str
    """What to do about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LintedRun:
    """What the rules say of one row."""

    row: int
    """From 1, as in the file."""
    run: str
    """What tells it from others."""
    remarks: tuple[Remark, ...]

    @property
    def state(self) -> LintState:
        """The worst of the remarks."""
        return _worst(self.remarks)


def lint(runs: pd.DataFrame) -> tuple[LintedRun, ...]:
    """Apply every rule to every row of a checked table, in its order."""
    rows = runs.to_dict("records")
    found = _physics(rows)
    for remarks in (_zeros(runs), _apart(runs), _marks(rows)):
        for at, remark in remarks:
            found[at].append(remark)
    return tuple(
        LintedRun(row=at + 1, run=_label(row), remarks=tuple(found[at]))
        for at, row in enumerate(rows)
    )


def judged(runs: pd.DataFrame) -> pd.DataFrame:
    """Add ``verdict`` and ``verdict_reason`` by the rules of physics to a table without them.

    What is merely to be looked at stays out of the verdict: a program load that is faster than
    another is no worse a measurement.
    """
    found = _physics(runs.to_dict("records"))
    for at, remark in _zeros(runs):
        found[at].append(remark)
    states = [_worst(found[at]) for at in range(len(runs))]
    reasons = ["; ".join(remark.reason for remark in found[at]) for at in range(len(runs))]
    return runs.assign(verdict=[VERDICTS[state] for state in states], verdict_reason=reasons)


def _worst(remarks: Sequence[Remark]) -> LintState:
    states = {remark.state for remark in remarks}
    return "impossible" if "impossible" in states else "suspicious" if states else "fine"


def _physics(rows: list[dict[Any, Any]]) -> dict[int, list[Remark]]:
    found: dict[int, list[Remark]] = defaultdict(list)
    for at, row in enumerate(rows):
        seen = _observed(row)
        for rule, do in PHYSICS:
            if reason := rule(seen):
                found[at].append(
                    Remark(rule=rule.__name__, state="impossible", reason=reason, do=do)
                )
    return found


def _observed(row: dict[Any, Any]) -> Observed:
    def number(name: str) -> float:
        value = row.get(name)
        return NAN if value is None or pd.isna(value) else float(value)

    link_gbps, frame_bytes = number("link_gbps"), number("frame_bytes")
    return Observed(
        line_mpps=float(line_rate_mpps(link_gbps, frame_bytes)), queues=int(number("queues")),
        forwarded_mpps=number("forwarded_mpps"), offered_mpps=number("offered_mpps"),
        wire_us=float(wire_time_ns(link_gbps, frame_bytes)) / 1e3,
        latency_mean_us=number("latency_mean_us"),
        latencies_us=tuple(number(name) for name in LATENCIES), cpu_busy_ratios=_busy(row),
        duration_s=number("duration_s"), intended_packets=number("intended_packets"),
        sent_packets=number("sent_packets"), forwarded_packets=number("forwarded_packets"),
        cycles_per_packet=number("cycles_per_packet"),
        instructions_per_packet=number("instructions_per_packet"),
    )  # fmt: skip


def _busy(row: dict[Any, Any]) -> tuple[float, ...]:
    mean, cores = row.get("cpu_busy_ratio"), row.get("cpu_per_core")
    shares = [] if mean is None or pd.isna(mean) else [float(mean)]
    if isinstance(cores, str) and cores:
        try:
            listed = json.loads(cores)
            shares += [float(share) for share in listed]
        except (ValueError, TypeError):
            shares.append(NAN)  # no list of shares; the rule names it
    return tuple(shares)


def _zeros(runs: pd.DataFrame) -> list[tuple[int, Remark]]:
    rates = runs["forwarded_mpps"].to_numpy(dtype=np.float64)
    best = runs["forwarded_mpps"].groupby(cell_codes(runs)).transform("max").to_numpy(np.float64)
    found = []
    for at in np.flatnonzero(rates == 0.0):
        elsewhere = best[at] > 0.0
        reason = "nothing came back" + (
            f", but the same cell forwards {best[at]:.4g} Mpps in another run" if elsewhere else ""
        )
        remark = Remark(
            rule="zero_elsewhere" if elsewhere else "zero", reason=reason,
            state="impossible" if elsewhere else "suspicious",
            do="look whether the counter counted, and the program was attached; measure it again",
        )  # fmt: skip
        found.append((int(at), remark))
    return found


def loads_apart(runs: pd.DataFrame) -> dict[int, float]:
    """Find rows far from the median of their cell's others, where the line does not limit.

    Returns
    -------
    Place of the row, from 0 -> its rate over that median.
    """
    line_mpps = line_rate_mpps(runs["link_gbps"], runs["frame_bytes"])
    offered_mpps = runs["offered_mpps"].fillna(np.inf).to_numpy(np.float64)
    ceiling_mpps = np.minimum(line_mpps, offered_mpps)
    rates = runs["forwarded_mpps"].to_numpy(dtype=np.float64)
    cells = cell_codes(runs).to_numpy()
    order = np.argsort(cells, kind="stable")
    found = {}
    for rows in np.split(order, np.flatnonzero(np.diff(cells[order])) + 1):
        if len(rows) < 2 or rates[rows].min() > BELOW_LINE_RATIO * ceiling_mpps[rows[0]]:
            continue
        for at in rows[rates[rows] > 0.0]:
            median = float(np.median(rates[rows[rows != at]]))
            if median > 0.0 and abs(rates[at] / median - 1.0) > APART_RATIO:
                found[int(at)] = float(rates[at]) / median
    return found


def _apart(runs: pd.DataFrame) -> list[tuple[int, Remark]]:
    do = (
        "keep it: a reloaded program runs at another speed; take more loads, and hold whole "
        "loads out when you validate"
    )
    return [
        (at, Remark(
            rule="apart_from_its_cell", state="suspicious", do=do,
            reason=f"{ratio:.2f} times the median of the cell's other runs",
        ))
        for at, ratio in loads_apart(runs).items()
    ]  # fmt: skip


def _marks(rows: list[dict[Any, Any]]) -> list[tuple[int, Remark]]:
    found = []
    for at, row in enumerate(rows):
        for rule, reason, do in _row_marks(row):
            remark = Remark(rule=rule, state="suspicious", reason=reason, do=do)
            found.append((at, remark))
    return found


def _row_marks(row: dict[Any, Any]) -> list[tuple[str, str, str]]:
    found = []
    if row.get("verdict") in ("suspect", "invalid"):
        why = row.get("verdict_reason") or "no reason is given"
        found.append(("verdict", f"judged {row['verdict']}: {why}", "measure it again"))
    if row.get("unstable") is True and row.get("verdict") not in ("suspect", "invalid"):
        found.append(("unstable", "its rates vary within the run", "measure it again, longer"))
    drift = row.get("drift_ratio")
    if drift is not None and abs(float(drift) - 1.0) > DRIFT_RATIO_MAX:
        found.append(("drift", f"the canary ran at {drift:.2f} of its median then",
                      "measure it again when the machine is otherwise idle"))  # fmt: skip
    if sampled_by_ticks(row):
        found.append(("cpu_by_ticks", "its CPU share was sampled by ticks below 0.5 Mpps a core, "
                      "where they see a half to a fifth of the work",
                      "use its rate; do not use its cpu_busy_ratio"))  # fmt: skip
    return found


def sampled_by_ticks(row: Mapping[Any, Any]) -> bool:
    """Whether a row's busy share is sar's, of cores that mostly worked between ticks."""
    share = row["cpu_busy_ratio"]
    if row["forwarded_from"] != "sar_tx" or pd.isna(share) or share >= BUSY_RATIO_FULL:
        return False
    return bool(row["forwarded_mpps"] / row["queues"] < TICKS_MPPS)


def _label(row: dict[Any, Any]) -> str:
    if isinstance(row.get("run_id"), str):
        return str(row["run_id"])
    return (
        f"{row['source']} {row['datapath']} {row['program']} queues={row['queues']} "
        f"accesses={row['memory_accesses']} {row['frame_bytes']:g} B"
    )
