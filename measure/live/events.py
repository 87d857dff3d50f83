"""What happens in a campaign, one record each: what ``--json`` prints, a line an event.

Names end in their unit; docs/live.md has the table of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar

from linerate.cells import Cell
from linerate.records import JournalEntry, Purpose, VerdictState
from linerate.searches import SearchEntry
from linerate.tables.cell_columns import cell_columns


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What every event has: its name."""

    event: ClassVar[str]

    def to_dict(self) -> dict[str, object]:
        """Give its name and its fields, for one line of JSON."""
        return {"event": self.event, **asdict(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignBegun(Event):
    """A campaign is measured from here on, or watched."""

    event: ClassVar[str] = "campaign_begun"
    campaign: str
    out: str
    """Its folder."""
    lab: str
    adaptive: bool
    """Whether runs are chosen round by round, so that some may never be measured."""
    cells: int
    planned_runs: int
    """Canaries included."""
    planned_searches: int
    trials_per_run: int
    finished_runs: int
    """Before it was gone on with."""
    finished_searches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialFinished(Event):
    """A trial is in the journal."""

    event: ClassVar[str] = "trial_finished"
    run_id: str
    purpose: Purpose
    canary: bool
    repetition: int
    trial: int
    """Of its run, from 1; one that was disturbed and the next share a number."""
    cell: Mapping[str, object]
    """Columns of the table of runs."""
    forwarded_mpps: float
    line_rate_mpps: float | None
    """None where the load imitates no link."""
    loss_ratio: float
    duration_s: float
    verdict: VerdictState
    reasons: tuple[str, ...]
    started_at: str
    """UTC, ISO 8601."""

    @classmethod
    def of(cls, entry: JournalEntry, number: int) -> TrialFinished:
        """Tell of a finished trial."""
        trial = entry.trial
        return cls(
            run_id=entry.run_id, purpose=entry.purpose, canary=entry.canary,
            repetition=entry.repetition, trial=number, cell=_present(cell_columns(entry.cell)),
            forwarded_mpps=trial.forwarded_mpps, line_rate_mpps=line_mpps(entry.cell),
            loss_ratio=trial.loss_ratio, duration_s=trial.duration_s,
            verdict=entry.verdict.state, reasons=entry.verdict.reasons,
            started_at=trial.started_at,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished(Event):
    """Every planned trial of a run is taken, or the device under test has failed in one."""

    event: ClassVar[str] = "run_finished"
    run_id: str
    canary: bool
    repetition: int
    trials: int
    """Of this program load, disturbed ones included."""
    finished_runs: int
    planned_runs: int

    @classmethod
    def of(cls, first: JournalEntry, trials: int, finished: int, planned: int) -> RunFinished:
        """Tell of a finished run by its first trial."""
        return cls(run_id=first.run_id, canary=first.canary, repetition=first.repetition,
                   trials=trials, finished_runs=finished, planned_runs=planned)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class RunJudged(Event):
    """What its trials say of a run: what its row in the table of runs will have."""

    event: ClassVar[str] = "run_judged"
    run_id: str
    canary: bool
    trials: int
    """Trials that the rate is of: the best believed."""
    forwarded_mpps: float
    line_rate_mpps: float | None
    verdict: VerdictState
    reasons: tuple[str, ...]

    @classmethod
    def of(cls, believed: Sequence[JournalEntry]) -> RunJudged:
        """Judge a run by those of its trials that are believed."""
        first, trials = believed[0], [entry.trial for entry in believed]
        packets = sum(trial.forwarded_packets for trial in trials)
        return cls(
            run_id=first.run_id, canary=first.canary, trials=len(trials),
            forwarded_mpps=packets / sum(trial.duration_s for trial in trials) / 1e6,
            line_rate_mpps=line_mpps(first.cell), verdict=first.verdict.state,
            reasons=tuple(sorted({why for each in believed for why in each.verdict.reasons})),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFinished(Event):
    """A search has come to its end."""

    event: ClassVar[str] = "search_finished"
    search_id: str
    repetition: int
    trials: int
    cell: Mapping[str, object]
    goals: tuple[Mapping[str, object], ...]
    """Of each goal its name, ``lower_mpps``, ``upper_mpps``, ``conditional_mpps``, ``limited_by``
    and ``reason``."""
    verdict: VerdictState
    reasons: tuple[str, ...]
    finished_searches: int
    planned_searches: int

    @classmethod
    def of(cls, entry: SearchEntry, finished: int, planned: int) -> SearchFinished:
        """Tell of a finished search."""
        goals = tuple(
            {"goal": each.goal.name, "lower_mpps": each.bound.lower_mpps,
             "upper_mpps": each.bound.upper_mpps, "conditional_mpps": each.conditional_mpps,
             "limited_by": each.limited_by, "reason": each.reason}
            for each in entry.results
        )  # fmt: skip
        return cls(
            search_id=entry.search_id, repetition=entry.repetition, trials=entry.trials,
            cell=_present(cell_columns(entry.cell)), goals=goals, verdict=entry.verdict.state,
            reasons=entry.verdict.reasons, finished_searches=finished, planned_searches=planned,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignEnded(Event):
    """Nothing more is measured. ``linerate measure`` adds what its answer has."""

    event: ClassVar[str] = "campaign_ended"
    out: str
    state: str
    """``ended``, or ``stopped`` before its end, or ``failed`` by an error."""
    exit_code: int
    """Of the command."""
    finished_runs: int
    planned_runs: int
    finished_searches: int
    planned_searches: int
    valid: int
    """Finished runs by verdict, canaries among them."""
    suspect: int
    invalid: int


def line_mpps(cell: Cell) -> float | None:
    """Line rate of a cell's frames; None without a link."""
    rate = cell.line_rate_mpps
    return rate if math.isfinite(rate) else None


def _present(columns: Mapping[str, object]) -> dict[str, object]:
    """Leave out what a cell has not."""
    return {name: value for name, value in columns.items() if value is not None}
