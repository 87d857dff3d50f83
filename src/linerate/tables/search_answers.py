"""What searches answer together: of each cell and goal, over all its program loads."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from linerate.records import planned_id
from linerate.tables.columns import KNOWN, Column, Kind
from linerate.tables.search_table import CELL_COLUMNS, SEARCH_COLUMNS
from linerate.tables.settings_columns import own_settings, with_settings, written

CV_RATIO_MAX = 0.08
"""Loads that lie further apart than this make no number: their range is the answer."""
NO_RATE = ("host", "budget")
"""What limits a bound that says nothing of the device: others on the machine, or the trial time."""
RATED = ("mrr", "ndr", "pdr", "throughput")
"""Goals whose answer is a rate, in the order of the answers."""
LOAD_COLUMNS = tuple(name for name in CELL_COLUMNS if name not in ("repetition", "box"))
ASKED_COLUMNS = (
    "preset", "goal", "goal_loss_ratio", "goal_exceed_ratio", "goal_width_ratio",
    "initial_trial_s", "final_trial_s", "duration_sum_s",
)  # fmt: skip
"""What was searched for: searches that differ in it answer different questions."""


def _column(name: str, kind: Kind, meaning: str) -> Column:
    return Column(name=name, kind=kind, meaning=meaning)


_OF_SEARCHES = {column.name: column for column in SEARCH_COLUMNS}
ANSWER_COLUMNS = (
    KNOWN["campaign"],
    *(_OF_SEARCHES[name] for name in ("box", *LOAD_COLUMNS, *ASKED_COLUMNS)),
    _column("searches", "count", "program loads that were searched"),
    _column("loads", "count", "of these, loads that counted"),
    _column("median_mpps", "number", "Mpps, median over the loads that counted; empty: none did"),
    _column("smallest_mpps", "number", "Mpps, smallest of them"),
    _column("largest_mpps", "number", "Mpps, largest of them"),
    _column("cv_ratio", "number", "standard deviation over mean of them; empty of one load"),
    _column("steady", "flag", "cv_ratio is at most 0.08; empty of one load"),
    _column("limited_by", "text", "what limits the loads that counted, joined by +"),
    _column("drift_min_ratio", "number", "smallest drift_ratio of all searches"),
    _column("drift_max_ratio", "number", "largest drift_ratio of all searches"),
    _column("left_out_reason", "text", "why a load does not count, of the last that does not"),
    _column("answer", "text", "the same in one sentence"),
)
"""Every column of the table of answers, in the order in which they are written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAnswer:
    """What the searches of one cell say of one goal.

    >>> found = SearchAnswer(goal="pdr", loads_mpps=(1.55, 1.62, 1.71), searches=3)
    >>> print(found)
    PDR 1.62 Mpps (1.55 to 1.71 over 3 loads, CV 4.9 %)
    """

    goal: str
    loads_mpps: tuple[float, ...]
    """What was found of each program load that counts."""
    searches: int
    """Program loads that were searched."""
    others_mpps: tuple[float, ...] = ()
    """What was found of the loads that do not count, where anything was."""
    limited_by: tuple[str, ...] = ()
    """What limits the loads that count."""
    left_out_reason: str = ""
    """Why a load does not count, of the last that does not."""
    drift_ratios: tuple[float, float] = (1.0, 1.0)
    """Smallest and largest speed of the canary around the searches, over its median."""
    cell: str = ""
    """What tells the cell from others."""

    @property
    def median_mpps(self) -> float:
        """Median over the loads that count; nan without any."""
        return float(np.median(self.loads_mpps)) if self.loads_mpps else math.nan

    @property
    def smallest_mpps(self) -> float:
        """Smallest of the loads that count; nan without any."""
        return min(self.loads_mpps, default=math.nan)

    @property
    def largest_mpps(self) -> float:
        """Largest of the loads that count; nan without any."""
        return max(self.loads_mpps, default=math.nan)

    @property
    def cv_ratio(self) -> float:
        """Standard deviation over mean of the loads that count; nan of fewer than two."""
        if len(self.loads_mpps) < 2:
            return math.nan
        return float(np.std(self.loads_mpps, ddof=1) / np.mean(self.loads_mpps))

    @property
    def steady(self) -> bool | None:
        """Whether the loads lie so close that their median is a number; None of fewer than two."""
        return None if math.isnan(self.cv_ratio) else self.cv_ratio <= CV_RATIO_MAX

    def __str__(self) -> str:
        text = "; ".join((self._found(), *self._besides()))
        return f"{self.cell}: {text}" if self.cell else text

    def to_dict(self) -> dict[str, object]:
        """Give its columns of the table of answers; none of what is not known."""
        row = {"goal": self.goal, "cell": self.cell, **_row(self)}
        return {name: None if value != value else value for name, value in row.items()}

    def _found(self) -> str:
        name, loads = self.goal.upper(), len(self.loads_mpps)
        if not loads:
            return f"{name}: no answer, for none of {_loads(self.searches)} counts"
        found = f"{name} {self.median_mpps:.3g} Mpps"
        if loads == 1:
            return f"{found} (1 load: how far loads lie apart is not known)"
        span = f"{self.smallest_mpps:.3g} to {self.largest_mpps:.3g} over {loads} loads"
        return f"{found} ({span}, CV {100.0 * self.cv_ratio:.2g} %)"

    def _besides(self) -> Iterator[str]:
        """Say what is to be known of the numbers."""
        if self.steady is False:
            yield f"CV above {100.0 * CV_RATIO_MAX:.0f} %: take the range, not the median"
            if self.drift_ratios != (1.0, 1.0):
                low, high = self.drift_ratios
                yield f"meanwhile the canary ran at {low:.2f} to {high:.2f} of its median"
        if limits := [name for name in self.limited_by if name != "device"]:
            yield f"limited by {', '.join(limits)}"
        if left_out := self.searches - len(self.loads_mpps):
            counted = f"{left_out} of {_loads(self.searches)} left out" if self.loads_mpps else (
                "left out")  # fmt: skip
            among = f" ({_span(self.others_mpps)} Mpps)" if self.others_mpps else ""
            yield f"{counted}{among}: {self.left_out_reason}"


def answers_of(searches: pd.DataFrame) -> tuple[SearchAnswer, ...]:
    """Answer for each cell and goal of a table of searches, in the order of the plan.

    Parameters
    ----------
    searches
        Columns of ``linerate.tables.search_table``.
    """
    groups = _groups(searches)
    firsts = pd.DataFrame([rows.iloc[0] for rows in groups])
    varied = [
        name for name in ("box", *LOAD_COLUMNS, *own_settings(searches))
        if name not in ("datapath", "program", "settings")
        and firsts.get(name, pd.Series(dtype="object")).nunique(dropna=False) > 1
    ]  # fmt: skip
    return tuple(answer_of(rows, _cell(rows.iloc[0], varied)) for rows in groups)


def answer_of(rows: pd.DataFrame, cell: str = "") -> SearchAnswer:
    """Answer for searches of one cell and one goal.

    A load counts where something was carried in a search that is valid, and neither others on
    the machine nor the end of its trial time kept the bound where it is.
    """
    goal = str(rows["goal"].iloc[0])
    found = rows["mrr_mpps" if goal == "mrr" else "lower_mpps"].astype("float64")
    counts = counted(rows)
    limits = rows["limited_by"][counts].dropna().unique()
    drift = rows["drift_ratio"].dropna() if "drift_ratio" in rows.columns else rows["goal"].head(0)
    return SearchAnswer(
        goal=goal, loads_mpps=tuple(found[counts]), searches=len(rows),
        others_mpps=tuple(found[~counts].dropna()),
        limited_by=tuple(map(str, limits)), left_out_reason=_left_out(rows[~counts]),
        drift_ratios=(drift.min(), drift.max()) if len(drift) else (1.0, 1.0), cell=cell,
    )  # fmt: skip


def counted(rows: pd.DataFrame) -> pd.Series:
    """Say which rows of a table of searches hold a rate that counts in an answer."""
    found = rows["mrr_mpps"].where(rows["goal"] == "mrr", rows["lower_mpps"])
    valid = rows["verdict"].fillna("valid") == "valid"
    return (found.notna() & valid & ~rows["limited_by"].isin(NO_RATE)).astype(bool)


def answers_table(searches: pd.DataFrame) -> pd.DataFrame:
    """Make the table of answers: a row for each cell and goal."""
    rows = [
        _shared(group) | _row(answer)
        for group, answer in zip(_groups(searches), answers_of(searches), strict=True)
    ]
    names = with_settings([column.name for column in ANSWER_COLUMNS], own_settings(searches))
    return written(
        pd.DataFrame(rows, columns=names), {column.name: column for column in ANSWER_COLUMNS}
    )


def latest(searches: pd.DataFrame) -> pd.DataFrame:
    """Keep of a search that was begun anew, or measured again, what it found last."""
    keys = searches[["campaign", "goal"]].assign(planned=_planned(searches))
    return searches[~keys.duplicated(keep="last")]


def _planned(searches: pd.DataFrame) -> pd.Series:
    return searches["search_id"].astype(str).map(planned_id)


def _groups(searches: pd.DataFrame) -> list[pd.DataFrame]:
    """Split rows by cell and goal, in the order of the plan."""
    rows = latest(searches[searches["goal"].isin(RATED)])
    keys = [name for name in ("campaign", "box", *LOAD_COLUMNS, *ASKED_COLUMNS)
            if name in rows.columns]  # fmt: skip
    split = [part for _, part in rows.groupby([*keys, *own_settings(rows)], dropna=False)]
    split.sort(key=lambda part: (_planned(part).min()[:5], RATED.index(part["goal"].iloc[0])))
    return split


def _cell(row: pd.Series, varied: Sequence[str]) -> str:
    given = [f"{name} {row[name]}" for name in varied if pd.notna(row[name])]
    return ", ".join([f"{row['datapath']} {row['program']}", *given])


def _left_out(rows: pd.DataFrame) -> str:
    if rows.empty:
        return ""
    last = rows.iloc[-1]
    for name in ("limited_reason", "verdict_reason"):
        if name in rows.columns and pd.notna(last[name]) and last[name]:
            return str(last[name])
    return "nothing was carried" if last["verdict"] == "valid" else "its trials were disturbed"


def _shared(rows: pd.DataFrame) -> dict[str, object]:
    first = rows.iloc[0]
    names = ("campaign", "box", *LOAD_COLUMNS, *ASKED_COLUMNS, *own_settings(rows))
    return {name: first[name] for name in names if name in rows.columns}


def _row(answer: SearchAnswer) -> dict[str, object]:
    return {
        "searches": answer.searches, "loads": len(answer.loads_mpps),
        "median_mpps": answer.median_mpps, "smallest_mpps": answer.smallest_mpps,
        "largest_mpps": answer.largest_mpps, "cv_ratio": answer.cv_ratio, "steady": answer.steady,
        "limited_by": "+".join(answer.limited_by), "drift_min_ratio": answer.drift_ratios[0],
        "drift_max_ratio": answer.drift_ratios[1], "left_out_reason": answer.left_out_reason,
        "answer": str(answer),
    }  # fmt: skip


def _loads(count: int) -> str:
    return "1 load" if count == 1 else f"{count} loads"


def _span(rates_mpps: Sequence[float]) -> str:
    low, high = f"{min(rates_mpps):.3g}", f"{max(rates_mpps):.3g}"
    return low if low == high else f"{low} to {high}"
