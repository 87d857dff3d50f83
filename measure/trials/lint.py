"""The physics rules on a table of runs, own or imported, and signs that a run is to be doubted.

A run is *impossible* where a rule of physics is broken, *suspicious* where something else speaks
against it, and *fine* otherwise. Nothing is changed or left out: each remark says what to do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from linerate.measure.trials.observed import numbers, observed_runs
from linerate.measure.trials.physics import PHYSICS
from linerate.records import VerdictState
from linerate.tables.cell_columns import cell_codes
from linerate.tables.rates import is_estimated, with_own_cores
from linerate.units import line_rate_mpps

LintState = Literal["impossible", "suspicious", "fine"]
VERDICTS: Mapping[str, VerdictState] = {
    "impossible": "invalid", "suspicious": "suspect", "fine": "valid",
}  # fmt: skip
"""What a state of this check is called in the column ``verdict``."""
APART_RATIO = 0.10
"""Loads of one program may differ by more, but not without being looked at."""
BELOW_LINE_RATIO = 0.97
DRIFT_RATIO_MAX = 0.10
TICKS_MPPS = 0.5
"""Packets a core below which busy shares by ticks, as sar has them, miss most of the work."""
BUSY_RATIO_FULL = 0.99
MARKED = {"verdict": ("suspect", "invalid"), "unstable": (True,), "forwarded_from": ("sar_tx",)}
"""Values that a row is marked for, or may be."""


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
    found = _physics(runs)
    for remarks in (_zeros(runs), _apart(runs), _marks(runs)):
        for at, remark in remarks:
            found[at].append(remark)
    return tuple(
        LintedRun(row=at + 1, run=label, remarks=tuple(found.get(at, ())))
        for at, label in enumerate(_labels(runs))
    )


def judged(runs: pd.DataFrame) -> pd.DataFrame:
    """Add ``verdict`` and ``verdict_reason`` by the rules of physics to a table without them.

    What is merely to be looked at stays out of the verdict: a program load that is faster than
    another is no worse a measurement.
    """
    found = _physics(runs)
    for at, remark in _zeros(runs):
        found[at].append(remark)
    remarks = [found.get(at, []) for at in range(len(runs))]
    states = [_worst(own) for own in remarks]
    reasons = ["; ".join(remark.reason for remark in own) for own in remarks]
    return runs.assign(verdict=[VERDICTS[state] for state in states], verdict_reason=reasons)


def _worst(remarks: Sequence[Remark]) -> LintState:
    states = {remark.state for remark in remarks}
    return "impossible" if "impossible" in states else "suspicious" if states else "fine"


def _physics(runs: pd.DataFrame) -> dict[int, list[Remark]]:
    found: dict[int, list[Remark]] = defaultdict(list)
    for at, seen in enumerate(observed_runs(runs)):
        for rule, do in PHYSICS:
            if reason := rule(seen):
                found[at].append(
                    Remark(rule=rule.__name__, state="impossible", reason=reason, do=do)
                )
    return found


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
    rates = with_own_cores(runs)["forwarded_mpps"].to_numpy(dtype=np.float64)
    cells = cell_codes(runs).to_numpy()
    order = np.argsort(cells, kind="stable")
    found = {}
    for rows in np.split(order, np.flatnonzero(np.diff(cells[order])) + 1):
        if len(rows) < 2 or rates[rows].min() > BELOW_LINE_RATIO * ceiling_mpps[rows[0]]:
            continue
        ratios = rates[rows] / _medians_of_others(rates[rows])
        for at in np.flatnonzero((rates[rows] > 0.0) & (np.abs(ratios - 1.0) > APART_RATIO)):
            if np.isfinite(ratios[at]):
                found[int(rows[at])] = float(ratios[at])
    return found


def apart_note(runs: pd.DataFrame) -> str:
    """Say how many loads of a campaign lie apart from their cell's others, and what to look at.

    Returns
    -------
    Nothing where none does, or where each trial was looked at for others on its cores.
    """
    apart, looked = loads_apart(runs), "shared_core_ratio"
    if not apart or (looked in runs.columns and bool(runs[looked].notna().all())):
        return ""
    return (
        f"{len(apart)} of {len(runs)} runs lie over {APART_RATIO:.0%} from the other loads of "
        "their cell: linerate lint names them. On a virtual machine others may use a core, too: "
        "see own_cores of linerate doctor."
    )


def shared_note(runs: pd.DataFrame) -> str:
    """Say what others on the device's cores took of a campaign's rates.

    Returns
    -------
    Nothing where nobody looked, or no rate is another without others.
    """
    changed = is_estimated(runs)
    if not changed.any():
        return ""
    own = runs[changed]
    less = 1.0 - float((own["forwarded_mpps"] / own["unshared_mpps"]).median())
    return (
        f"{len(own)} of {len(runs)} runs did not have the device's cores to themselves: others "
        f"used these at {own['shared_core_ratio'].mean():.0%} of looks, or held them, which took "
        f"{less:.0%} of a rate in the median. Column unshared_mpps has rates without; models take "
        "these."
    )


def _medians_of_others(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Median of all values but each, shape (n,), n >= 2; nan where it is 0.

    >>> _medians_of_others(np.array([4.0, 1.0, 2.0]))
    array([1.5, 3. , 2.5])
    """
    order = np.argsort(values, kind="stable")
    ranks = np.empty(len(values), dtype=np.intp)
    ranks[order] = np.arange(len(values))
    left = len(values) - 1
    middles = [np.where(place < ranks, place, place + 1) for place in ((left - 1) // 2, left // 2)]
    medians = np.mean([values[order[middle]] for middle in middles], axis=0)
    return np.where(medians > 0.0, medians, np.nan)


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


def _marks(runs: pd.DataFrame) -> list[tuple[int, Remark]]:
    places = np.flatnonzero(_may_be_marked(runs))
    found = []
    for at, row in zip(places, runs.iloc[places].to_dict("records"), strict=True):
        for rule, reason, do in _row_marks(row):
            remark = Remark(rule=rule, state="suspicious", reason=reason, do=do)
            found.append((int(at), remark))
    return found


def _may_be_marked(runs: pd.DataFrame) -> NDArray[np.bool_]:
    """Choose the rows that have anything to be marked for: the others are most of a long table."""
    marked = np.abs(numbers(runs, "drift_ratio") - 1.0) > DRIFT_RATIO_MAX
    for name, values in MARKED.items():
        if name in runs.columns:
            marked |= runs[name].isin(values).to_numpy(dtype=bool, na_value=False)
    return marked


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


def _labels(runs: pd.DataFrame) -> list[str]:
    ids: list[Any] = runs["run_id"].tolist() if "run_id" in runs.columns else [None] * len(runs)
    nameless = [at for at, own in enumerate(ids) if not isinstance(own, str)]
    for at, row in zip(nameless, runs.iloc[nameless].to_dict("records"), strict=True):
        ids[at] = (
            f"{row['source']} {row['datapath']} {row['program']} queues={row['queues']} "
            f"accesses={row['memory_accesses']} {row['frame_bytes']:g} B"
        )
    return ids
