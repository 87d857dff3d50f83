"""What a search looks for, and what it found: bounds, never one point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from linerate.cells import Cell
from linerate.errors import bad_input
from linerate.records import Verdict

Preset = Literal["mlrsearch", "rfc2544"]
"""Which procedure searches: RFC 9971, or the binary search of RFC 2544."""
MaxFrom = Literal["line_rate", "generator", "max_load"]
"""What sets the highest load of a search: the line, the generator, or the plan."""
LimitedBy = Literal["device", "line_rate", "generator", "max_load", "min_load", "budget", "host"]
"""What kept a bound from being higher, or from being found; ``host`` is all else that the machine
did meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchGoal:
    """Which loads count as carried, and how closely that is to be found (RFC 9971, 4.6)."""

    name: str
    """``ndr``, ``pdr`` or ``throughput``."""
    loss_ratio: float
    """A trial that loses more is bad."""
    exceed_ratio: float
    """Share of trial time at a load that may be bad before the load is."""
    width_ratio: float
    """Goal width: how far the lower bound may lie below the upper, of the upper."""
    initial_trial_seconds: float
    """Shortest trial, which looks where to search."""
    final_trial_seconds: float
    """Trials that decide are of this length."""
    duration_sum_seconds: float
    """Trial time at a load that decides about it."""

    def __post_init__(self) -> None:
        for field, inclusive in (
            ("loss_ratio", True),
            ("exceed_ratio", True),
            ("width_ratio", False),
        ):
            ratio = getattr(self, field)
            if not (ratio >= 0.0 if inclusive else ratio > 0.0) or not ratio < 1.0:
                raise bad_input(
                    field, ratio, why=f"goal {self.name} cannot have it",
                    allowed=f"{'0 <=' if inclusive else '0 <'} {field} < 1", do="correct it",
                )  # fmt: skip
        seconds = (self.initial_trial_seconds, self.final_trial_seconds, self.duration_sum_seconds)
        if not 0.0 < seconds[0] <= seconds[1] <= seconds[2]:
            raise bad_input(
                "trial seconds", ", ".join(f"{each:g}" for each in seconds),
                why=f"goal {self.name} needs trials that grow",
                allowed="0 < initial <= final <= duration_sum", do="correct them",
            )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """Where the highest load lies that meets a goal: a type of its own, not a number."""

    lower_mpps: float | None
    """Relevant lower bound: the highest load that was carried, below any that was not."""
    upper_mpps: float | None
    """Relevant upper bound: the lowest load that was not carried; None where there was none."""

    def __post_init__(self) -> None:
        if self.lower_mpps and self.upper_mpps and not self.lower_mpps < self.upper_mpps:
            raise ValueError(f"lower must be below upper, got {self.lower_mpps}, {self.upper_mpps}")

    @property
    def width_ratio(self) -> float | None:
        """How far apart the two are, of the upper; None where one is missing.

        >>> Bound(lower_mpps=0.99, upper_mpps=1.0).width_ratio
        0.010000000000000009
        """
        if self.lower_mpps is None or self.upper_mpps is None:
            return None
        return 1.0 - self.lower_mpps / self.upper_mpps


@dataclass(frozen=True, slots=True, kw_only=True)
class BurstBound:
    """Where the longest burst lies that is forwarded whole (RFC 2544, 26.4)."""

    lower_packets: int | None
    """Longest burst that came back whole."""
    upper_packets: int | None
    """Shortest burst that did not; None where there was none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalResult:
    """What a search says of one goal. *Irregular* where one of the two bounds is missing."""

    goal: SearchGoal
    bound: Bound
    conditional_mpps: float | None = None
    """Conditional throughput: the forwarding rate that may be relied on at the lower bound."""
    lower_loss_ratio: float | None = None
    """Loss at the lower bound, the quantile of its trials that ``exceed_ratio`` names."""
    limited_by: LimitedBy = "device"
    reason: str = ""
    """Why irregular or wider than asked, in one sentence."""

    @property
    def regular(self) -> bool:
        """Whether both bounds were found."""
        return self.bound.lower_mpps is not None and self.bound.upper_mpps is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchEntry:
    """One finished search of one program load, as the folder of a campaign keeps it."""

    search_id: str
    """Its trials in the journal share it as the beginning of their ``run_id``."""
    repetition: int
    cell: Cell
    """What was searched; its load's rate is that of ``max_mpps``."""
    preset: Preset
    min_mpps: float
    max_mpps: float
    max_from: MaxFrom
    """What set ``max_mpps``."""
    results: tuple[GoalResult, ...]
    mrr_mpps: tuple[float, ...] = ()
    """Rate that came back at ``max_mpps`` whatever was lost, one number a trial."""
    mrr_disturbed_trials: int = 0
    """Of these, trials that stayed disturbed."""
    burst: BurstBound | None = None
    trials: int
    """Trials taken, repeated ones included."""
    disturbed_trials: int
    """Of these, trials that a rule of validity doubts and that were repeated."""
    duration_s: float
    """Time of all trials together."""
    steal_ratio: float
    """Largest share of CPU time that the hypervisor took during a trial that counted."""
    verdict: Verdict
    program_hash: str
    started_at: str
    """UTC, ISO 8601."""
    box: str = ""
    """Box of a lab that searched; empty where the campaign has one box."""
    schema_version: int = 1
