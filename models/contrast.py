"""Two campaigns of the same cells: the ratio of second over first, of each cell and altogether."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from linerate.errors import bad_input
from linerate.line_rate import sustains
from linerate.messages import note
from linerate.models.comparison import COVERAGE, median_interval
from linerate.models.runs.cells import Array
from linerate.models.runs.selection import believable
from linerate.normal import NORMAL_90
from linerate.tables.cell_columns import accesses_once, cell_codes
from linerate.tables.columns import CELL
from linerate.tables.settings_columns import own_settings
from linerate.units import line_rate_mpps

RATE = "forwarded_mpps"
QUANTITIES = (RATE, "latency_p50_us", "rtt_mean_us")
"""What is compared, where both campaigns have it."""
SIDES: tuple[str, str] = ("first", "second")
EXACT_MAX = 25
"""Loads of each campaign up to which the ranks of an interval are counted, not approximated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What the cells of two campaigns say together of one quantity."""

    quantity: str
    cells: int
    """Pairs of cells that could differ."""
    groups: int
    """Sets of them that share no program load."""
    ratio: float
    """Median over the groups, of second over first; nan without any."""
    lower: float
    upper: float
    """90 % interval of that median; nan with fewer than 5 groups."""
    telling: int
    """Cells whose own interval leaves out 1."""
    judged: int
    """Cells that have an interval of their own."""
    at_ceiling: int = 0
    """Cells that carry all that was offered, or line rate, in both: their rates cannot differ."""

    @property
    def differs(self) -> bool:
        """Whether the interval leaves out 1."""
        return bool(self.lower > 1.0 or self.upper < 1.0)

    @property
    def by_chance(self) -> float:
        """Cells that would tell something if nothing were different."""
        return (1.0 - COVERAGE) * self.judged


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contrast:
    """Two campaigns, cell by cell."""

    ratios: pd.DataFrame
    """A row for each quantity of each cell that both have: its columns of a cell, ``quantity``,
    medians ``first`` and ``second``, ``first_loads``, ``second_loads``, ``ratio`` of second over
    first with ``lower_ratio``, ``upper_ratio`` (nan with too few loads), ``runs``, ``group``,
    ``at_ceiling``."""
    alone: pd.DataFrame
    """Cells that one of them has: their columns, ``side`` (``first``, ``second``), ``runs``."""
    summaries: tuple[Summary, ...]
    """One for each quantity that can be compared, in order of ``QUANTITIES``."""
    notes: tuple[str, ...] = ()
    """What was left out, or could not be matched, one sentence each."""


def contrast(first: pd.DataFrame, second: pd.DataFrame) -> Contrast:
    """Pair the cells of two tables of runs.

    Cells are paired by all that a campaign asks for, whatever machine, kernel or build it ran on.
    The ratio of a cell is the median of the ratios of each load of the second to each of the first,
    and its interval that of a shift between two samples, which asks of the loads only that both
    samples are alike but for a factor. Cells that share program loads share their random effects,
    and count as one where all are taken together.

    Parameters
    ----------
    first, second
        Tables of runs.

    Raises
    ------
    BadInputError
        They have no cell in common.

    References
    ----------
    Hodges and Lehmann, Estimates of location based on rank tests, Ann. Math. Stat. 34 (1963); the
    interval by Mann and Whitney's statistic: Conover, Practical Nonparametric Statistics (3rd ed.,
    1999), sec. 5.4.
    """
    runs, ignored, notes = _together(first, second)
    found = runs.groupby("cell")["side"].nunique()
    shared = runs["cell"].isin(found.index[found == len(SIDES)])
    if not shared.any():
        raise bad_input("cells", f"{runs['cell'].nunique()}, each in one campaign",
                        why="nothing was measured in both", allowed="campaigns that have cells in "
                        "common", do="measure the same campaign file twice")  # fmt: skip
    cells = _cells(runs, ignored)
    ratios = _ratios(runs[shared], cells)
    return Contrast(
        ratios=ratios, alone=_alone(runs[~shared], cells), notes=notes,
        summaries=tuple(_summary(rows, str(name)) for name, rows in
                        ratios.groupby("quantity", sort=False)),
    )  # fmt: skip


def _together(
    first: pd.DataFrame, second: pd.DataFrame
) -> tuple[pd.DataFrame, set[str], tuple[str, ...]]:
    """Believed runs of both with ``side``, ``cell``, ``load``; columns not matched by; notes."""
    parts: list[pd.DataFrame] = []
    notes: list[str] = []
    for side, runs in zip(SIDES, (first, second), strict=True):
        kept, remarks = believable(accesses_once(runs))
        parts.append(kept.assign(side=side, load=_loads(kept, side)))
        notes += [note("{side}: {what}", side=side, what=one) for one in remarks]
    runs = pd.concat(parts, ignore_index=True)
    known = [name for name in (*CELL, *own_settings(runs)) if name in runs]
    ignored = {"box"} | {name for name in known if _known_once(parts, name)}
    notes += [note("{name} is known of one campaign alone: cells are paired without it", name=name)
              for name in known if name in ignored - {"box"}]  # fmt: skip
    kept = runs.drop(columns=[name for name in ignored if name in runs])
    return runs.assign(cell=cell_codes(kept)), ignored, tuple(notes)


def _loads(runs: pd.DataFrame, side: str) -> pd.Series:
    """Program load of each run; a run that names none is one of its own."""
    own = pd.Series([f"row {number}" for number in range(len(runs))], index=runs.index)
    named = runs["run_id"].astype("object") if "run_id" in runs else own
    return side + " " + named.where(named.notna(), own).astype(str)


def _known_once(parts: list[pd.DataFrame], name: str) -> bool:
    """Whether one table knows a factor, and never varies it, of which the other says nothing."""
    values = [part[name].dropna().unique() if name in part else () for part in parts]
    counts = sorted(len(one) for one in values)
    return counts == [0, 1]


def _cells(runs: pd.DataFrame, ignored: set[str]) -> pd.DataFrame:
    """Columns of each cell, by its code."""
    names = [name for name in (*CELL, *own_settings(runs)) if name in runs and name not in ignored]
    return runs.groupby("cell")[names].first()


def _ratios(runs: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    groups = dict(_groups(runs).items())
    counts = dict(runs.groupby("cell").size().items())
    rows = []
    for quantity in (name for name in QUANTITIES if name in runs):
        there = runs[runs[quantity] > 0.0]
        loads = there.groupby(["cell", "side", "load"])[quantity].median()
        samples = {key: own.to_numpy(dtype=np.float64)
                   for key, own in loads.groupby(["cell", "side"])}  # fmt: skip
        for cell in dict.fromkeys(code for code, _ in samples):
            pair = [samples.get((cell, side)) for side in SIDES]
            if pair[0] is not None and pair[1] is not None:
                rows.append({"cell": cell, "quantity": quantity, "group": groups[cell],
                             "runs": counts[cell], **_ratio(pair[0], pair[1])})  # fmt: skip
    table = pd.DataFrame(rows).join(cells, on="cell")
    return table.assign(at_ceiling=_at_ceiling(table)).drop(columns="cell")


def _ratio(first: Array, second: Array) -> dict[str, float]:
    """Ratio of two samples with its interval, and their medians."""
    each = np.sort(np.log(second)[:, None] - np.log(first)[None, :], axis=None)
    left_out = ratios_left_out(first.size, second.size)
    ends = (np.nan, np.nan) if left_out is None else (each[left_out], each[-1 - left_out])
    return {
        "first": float(np.median(first)), "second": float(np.median(second)),
        "first_loads": first.size, "second_loads": second.size,
        "ratio": float(np.exp(np.median(each))),
        "lower_ratio": float(np.exp(ends[0])), "upper_ratio": float(np.exp(ends[1])),
    }  # fmt: skip


def ratios_left_out(first: int, second: int) -> int | None:
    """How many of all ratios of two samples may be left out at either end of a 90 % interval.

    >>> [ratios_left_out(3, loads) for loads in (2, 3, 5)], ratios_left_out(5, 5)
    ([None, 0, 1], 4)
    """
    if max(first, second) > EXACT_MAX:
        spread = math.sqrt(first * second * (first + second + 1) / 12.0)
        return max(int(first * second / 2.0 - NORMAL_90 * spread), 0)
    counts = _orders(first, second)
    below = np.cumsum(counts) / counts.sum()
    fitting = np.flatnonzero(below <= (1.0 - COVERAGE) / 2.0 + 1e-12)
    return int(fitting[-1]) if fitting.size else None


@cache
def _orders(first: int, second: int) -> Array:
    """Orders of two samples by Mann and Whitney's statistic: how many have each value of it."""
    found = np.zeros(first * second + 1)
    if not first or not second:
        found[0] = 1.0
        return found
    # The largest of all belongs to one sample or to the other.
    of_first, of_second = _orders(first - 1, second), _orders(first, second - 1)
    found[second : second + of_first.size] += of_first
    found[: of_second.size] += of_second
    return found


def _groups(runs: pd.DataFrame) -> pd.Series:
    """Give cells that share program loads, directly or by another cell, one number."""
    group = runs["cell"]
    while True:
        by_load = group.groupby(runs["load"]).transform("min")
        wider = by_load.groupby(runs["cell"]).transform("min")
        if bool((wider == group).all()):
            return group.groupby(runs["cell"]).first()
        group = wider


def _at_ceiling(table: pd.DataFrame) -> pd.Series:
    """Whether both rates of a cell are all that was offered, or line rate."""
    link = table["link_gbps"] if "link_gbps" in table else pd.Series(np.inf, index=table.index)
    line_mpps = line_rate_mpps(link.fillna(np.inf), table["frame_bytes"])
    offered = table["offered_mpps"].fillna(np.inf).to_numpy(dtype=np.float64)
    ceiling = np.minimum(line_mpps, offered)
    both = [sustains(table[side], ceiling) for side in SIDES]
    return pd.Series(both[0] & both[1] & (table["quantity"] == RATE), index=table.index)


def _alone(runs: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    counted = runs.groupby(["cell", "side"]).size().rename("runs").reset_index()
    return counted.join(cells, on="cell").drop(columns="cell")


def _summary(rows: pd.DataFrame, quantity: str) -> Summary:
    free = rows[~rows["at_ceiling"]]
    of_groups = free.assign(log_ratio=np.log(free["ratio"])).groupby("group")["log_ratio"].median()
    lower, middle, upper = map(math.exp, median_interval(of_groups))
    judged = free["lower_ratio"].notna()
    telling = (free["lower_ratio"] > 1.0) | (free["upper_ratio"] < 1.0)
    return Summary(
        quantity=quantity, cells=len(free), groups=len(of_groups), ratio=middle, lower=lower,
        upper=upper, telling=int(telling.sum()), judged=int(judged.sum()),
        at_ceiling=int(rows["at_ceiling"].sum()),
    )  # fmt: skip
