"""What is shown of a campaign that is measured: a record of numbers, and its lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Literal

import numpy as np

from linerate.measure.campaign.failures import cell_name
from linerate.measure.campaign.search_order import PlannedSearch
from linerate.measure.live.events import line_mpps
from linerate.measure.live.progress import Planned, Progress
from linerate.records import JournalEntry, VerdictState
from linerate.tables.search_answers import SearchAnswer

State = Literal["not begun", "measuring", "elsewhere", "stopped", "ended"]
"""Of a campaign: nobody measures it yet, a process of this machine does, one of another does, it
was stopped or killed before its end, all of it is measured."""
BLOCKS = "▁▂▃▄▅▆▇█"
ASCII = "_.:-=+*#"
"""Heights of a sparkline where the terminal's encoding has no blocks."""
DRIFT_RUNS = 12
"""Repeated runs that a drift is the median of."""
ANSWERS_SHOWN = 8
HOUR_S, MINUTE_S = 3600, 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Current:
    """What is measured now."""

    id: str
    """Of the run or the search."""
    cell: str
    trial: int
    trials: int | None
    """Of a run; a search does not know how many it will take."""
    disturbed: int
    """Trials of this one that were disturbed, and are taken again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Last:
    """The trial that was finished last."""

    run_id: str
    cell: str
    forwarded_mpps: float
    line_rate_mpps: float | None
    verdict: VerdictState
    reason: str
    """Empty of a valid one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """How much faster the machine is than before, as far as something was measured again."""

    of: Literal["canary", "repeated cells"]
    ratio: float
    """1 where nothing drifts. Of the canary its last rate over the median of all; of cells the
    median, over their last repeated runs, of the rate over the median of the cell's earlier ones.
    """
    lower_ratio: float
    """Smallest of these."""
    upper_ratio: float
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A campaign at one moment."""

    campaign: str
    state: State
    owner: int | None
    """Process that measures, where it is one of this machine."""
    adaptive: bool
    finished_runs: int
    planned_runs: int
    finished_searches: int
    planned_searches: int
    cells: int
    cells_left: int
    valid: int
    suspect: int
    invalid: int
    current: Current | None
    last: Last | None
    rates_mpps: tuple[float, ...]
    drift: Drift | None
    answers: tuple[SearchAnswer, ...]
    """What the searches finished so far answer together."""
    end_s: float | None
    """When it will be done, seconds since 1970."""
    now_s: float
    """When this was so, seconds since 1970."""

    def to_dict(self) -> dict[str, object]:
        """Give its fields for JSON, with times in ISO 8601."""
        fields = asdict(self)
        for name in ("end", "now"):
            seconds = fields.pop(f"{name}_s")
            fields[f"{name}_at"] = seconds and datetime.fromtimestamp(seconds, UTC).isoformat()
        fields["answers"] = [answer.to_dict() for answer in self.answers]
        return {"event": "progress", **fields}


def view_of(
    progress: Progress, now_s: float, state: State = "measuring", owner: int | None = None
) -> View:
    """Say how far a campaign is, at this moment."""
    runs, searches = len(progress.runs), len(progress.searches)
    done, found, counted = len(progress.verdicts), len(progress.found), progress.counted
    going = state in ("measuring", "elsewhere")
    end_s = progress.pace.end_s(runs - done, searches - found, now_s)
    return View(
        campaign=progress.campaign.name, state=state, owner=owner, adaptive=progress.adaptive,
        finished_runs=done, planned_runs=runs, finished_searches=found, planned_searches=searches,
        cells=progress.cells, cells_left=progress.cells_left,
        valid=counted["valid"], suspect=counted["suspect"], invalid=counted["invalid"],
        current=_current(progress, progress.next_planned()) if going else None,
        last=_last(progress.last),
        rates_mpps=tuple(progress.rates_mpps), drift=drift_of(progress),
        answers=progress.answers(), now_s=now_s,
        end_s=end_s if going and not progress.adaptive else None,
    )  # fmt: skip


def drift_of(progress: Progress) -> Drift | None:
    """Say what was measured of drift; None where nothing was measured twice."""
    canary, repeated = progress.canary_mpps, progress.repeated[-DRIFT_RUNS:]
    if len(canary) > 1 and (median := float(np.median(canary))) > 0.0:
        ratios = [rate / median for rate in canary]
        return Drift(of="canary", ratio=ratios[-1], lower_ratio=min(ratios),
                     upper_ratio=max(ratios), runs=len(ratios))  # fmt: skip
    if not repeated:
        return None
    return Drift(of="repeated cells", ratio=float(np.median(repeated)), lower_ratio=min(repeated),
                 upper_ratio=max(repeated), runs=len(repeated))  # fmt: skip


def lines(view: View, heights: str = BLOCKS) -> list[str]:
    """Write a view, a fact a line; what is not known has no line."""
    shown = [("runs", counts(view))]
    if view.current:
        shown.append(("now", _current_words(view.current)))
    if view.last:
        shown.append(("last", _last_words(view.last)))
    if len(view.rates_mpps) > 1:
        shown.append(("rates", _rates_words(view.rates_mpps, heights)))
    if view.drift:
        shown.append(("drift", _drift_words(view.drift)))
    shown += [("found", str(answer)) for answer in view.answers[:ANSWERS_SHOWN]]
    if (more := len(view.answers) - ANSWERS_SHOWN) > 0:
        shown.append(("found", f"and {more} more; answers.csv has them all in the end"))
    if view.end_s is not None:
        shown.append(("left", _left(view.end_s, view.now_s)))
    return [f"{view.campaign}: {_state(view)}", *(f"  {name:5}  {text}" for name, text in shown)]


def line(view: View) -> str:
    """Write a view on one line, for a log."""
    parts = [f"{view.campaign}: {counts(view)}"]
    if view.last:
        parts.append(f"last {_rate(view.last)}, {view.last.verdict}")
    if view.end_s is not None:
        parts.append(f"left: {_left(view.end_s, view.now_s)}")
    return "; ".join(parts)


def counts(view: View) -> str:
    """Count what is done and what is left."""
    most = "at most " if view.adaptive else ""
    parts = []
    if view.planned_runs:
        parts.append(f"{view.finished_runs} of {most}{view.planned_runs} runs finished, "
                     f"{view.cells_left} of {most}{view.cells} cells left")  # fmt: skip
    if view.planned_searches:
        parts.append(f"{view.finished_searches} of {view.planned_searches} searches finished")
    if view.finished_runs:
        parts.append(f"{view.suspect} suspect, {view.invalid} invalid")
    return "; ".join(parts)


def sparkline(values: Sequence[float], heights: str = BLOCKS) -> str:
    """Draw numbers from 0 to the largest, a character each.

    >>> sparkline([0.0, 1.0, 2.0])
    '▁▅█'
    """
    high = max(values) or 1.0
    return "".join(heights[round(value / high * (len(heights) - 1))] for value in values)


def duration(seconds: float) -> str:
    """Say a time as one would.

    >>> duration(42.4), duration(200), duration(7500)
    ('42 s', '3 min', '2 h 5 min')
    """
    if seconds < 2 * MINUTE_S:
        return f"{seconds:.0f} s"
    if seconds < 2 * HOUR_S:
        return f"{seconds / MINUTE_S:.0f} min"
    hours, rest = divmod(round(seconds / MINUTE_S), 60)
    return f"{hours} h {rest} min"


def _state(view: View) -> str:
    if view.state == "measuring":
        return f"process {view.owner} measures it" if view.owner else "measuring"
    words = {
        "not begun": "not begun: no trial is finished",
        "elsewhere": "its journal grows; no process of this machine measures it",
        "stopped": "stopped before its end: no process measures it any more",
        "ended": "ended",
    }  # fmt: skip
    return words[view.state]


def _current(progress: Progress, planned: Planned | None) -> Current | None:
    if planned is None:
        return None
    trial, disturbed = progress.trial_of(planned)
    name, trials = (
        (planned.search_id, None) if isinstance(planned, PlannedSearch)
        else (planned.run_id, progress.campaign.trials)
    )  # fmt: skip
    return Current(
        id=name, cell=cell_name(planned.cell), trial=trial, trials=trials, disturbed=disturbed
    )


def _last(entry: JournalEntry | None) -> Last | None:
    if entry is None:
        return None
    return Last(
        run_id=entry.run_id, cell=cell_name(entry.cell), reason="; ".join(entry.verdict.reasons),
        forwarded_mpps=entry.trial.forwarded_mpps, line_rate_mpps=line_mpps(entry.cell),
        verdict=entry.verdict.state,
    )  # fmt: skip


def _current_words(now: Current) -> str:
    of = f" of {now.trials}" if now.trials else ""
    again = f", again after {now.disturbed} disturbed" if now.disturbed else ""
    return f"{now.id} trial {now.trial}{of}{again}: {now.cell}"


def _last_words(last: Last) -> str:
    why = f", {last.verdict}: {last.reason}" if last.reason else f", {last.verdict}"
    return f"{last.run_id} {_rate(last)}{why}"


def _rate(last: Last) -> str:
    if last.line_rate_mpps is None:
        return f"{last.forwarded_mpps:.4g} Mpps"
    share = last.forwarded_mpps / last.line_rate_mpps
    return f"{last.forwarded_mpps:.4g} of {last.line_rate_mpps:.4g} Mpps line rate ({share:.0%})"


def _rates_words(rates_mpps: Sequence[float], heights: str) -> str:
    drawn, high_mpps = sparkline(rates_mpps, heights), max(rates_mpps)
    return f"{drawn}  last {len(rates_mpps)} trials, 0 to {high_mpps:.4g} Mpps"


def _drift_words(drift: Drift) -> str:
    spread = f"{drift.lower_ratio - 1.0:+.1%} to {drift.upper_ratio - 1.0:+.1%}"
    if drift.of == "canary":
        return f"canary {drift.ratio - 1.0:+.1%} of its median ({spread} in {drift.runs} runs)"
    return f"repeated cells {drift.ratio - 1.0:+.1%} of their earlier runs ({spread}, {drift.runs})"


def _left(end_s: float, now_s: float) -> str:
    ends = datetime.fromtimestamp(end_s)  # as clocks here show it
    day = "" if end_s - now_s < 20 * HOUR_S else f"{ends:%Y-%m-%d} "
    return f"{duration(end_s - now_s)}, until about {day}{ends:%H:%M}"
