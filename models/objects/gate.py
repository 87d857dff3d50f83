"""Whether a build is to pass: a budget of time, a latency, an older program, or else line rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linerate.errors import bad_input
from linerate.models.objects.comparison import Comparison
from linerate.models.objects.object_answer import ObjectAnswer
from linerate.units import short


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What a program must keep to, on each traffic."""

    budget_ns: float | None = None
    """The upper end of the interval of the program's time must not lie above it."""
    latency_us: float | None = None
    """The upper end of the interval of p99 must not lie above it, at the load that was asked about,
    else at line rate."""
    slower_ns: float = 0.0
    """By how much it may be slower than the older one: the lower end of the difference's interval
    must not lie above it."""

    def __post_init__(self) -> None:
        for name in ("budget_ns", "latency_us", "slower_ns"):
            value = getattr(self, name)
            if value is not None and not 0.0 <= value < np.inf:
                raise bad_input(name, value, why="it is not a time that a program may take",
                                allowed=">= 0", do="correct it")  # fmt: skip


def failures_of(
    answers: Sequence[ObjectAnswer], comparisons: Sequence[Comparison], gate: Gate
) -> tuple[str, ...]:
    """Say what a gate refuses, one sentence each.

    Where neither a budget, a latency nor an older object is named, line rate is what is asked for.
    """
    found = [
        f"{comparison.frame_bytes:.4g} B: slower than {comparison.against} by "
        f"{short(comparison.lower_ns)} ns or more; allowed: {gate.slower_ns:g}"
        for comparison in comparisons if comparison.lower_ns > gate.slower_ns
    ]  # fmt: skip
    found += [
        f"{comparison.frame_bytes:.4g} B: packets end elsewhere than with {comparison.against}"
        for comparison in comparisons
        if comparison.other_verdicts
    ]
    if gate.latency_us is not None:
        found += [
            f"{answer.frame_bytes:.4g} B: p99 up to {short(answer.loads[0].upper_p99_us)} us at "
            f"{answer.loads[0].load_mpps:.3g} Mpps; allowed: {gate.latency_us:g}"
            for answer in answers if answer.loads[0].upper_p99_us > gate.latency_us
        ]  # fmt: skip
    if gate.budget_ns is not None:
        found += [
            f"{answer.frame_bytes:.4g} B: up to {short(answer.upper_program_ns)} ns in the program"
            f"; budget: {gate.budget_ns:g}"
            for answer in answers if answer.upper_program_ns > gate.budget_ns
        ]  # fmt: skip
    if gate.budget_ns is None and gate.latency_us is None and not comparisons:
        found += [
            f"{answer.frame_bytes:.4g} B: line rate is not sustained"
            for answer in answers if not answer.sustains
        ]  # fmt: skip
    return tuple(found)
