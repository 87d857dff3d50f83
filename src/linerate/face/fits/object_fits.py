"""Answers for one BPF object: as text, JSON, a picture, and for a gate."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from linerate.models.objects import (
    Comparison,
    Explanation,
    Gate,
    ObjectAnswer,
    failures_of,
)
from linerate.models.objects.accounts.account import Account
from linerate.models.objects.accounts.by_frame import FrameExplanation
from linerate.models.objects.counted.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectFits:
    """Answers for one program, one for each traffic."""

    path: Path
    entry: str
    answers: tuple[ObjectAnswer, ...]
    notes: tuple[str, ...]
    """What the answers rest on: the calibration's age, maps without entries."""
    comparisons: tuple[Comparison, ...] = ()
    """With an older object, one for each traffic; empty where none was named."""
    explanation: Account | Explanation | FrameExplanation | None = None
    """Where the time of the first traffic goes; None where that was not asked."""
    counted: tuple[Estimate, ...] = ()
    """What was counted, for each traffic, where the program was not run; else empty."""

    @property
    def static(self) -> bool:
        """Whether the program was counted and not run."""
        return bool(self.counted)

    @property
    def sustains(self) -> bool:
        """Whether all of the traffic is sustained, more likely than not."""
        return all(answer.sustains for answer in self.answers)

    def failures(self, gate: Gate | None = None) -> tuple[str, ...]:
        """Say what a gate refuses, one sentence each; empty where it lets the program pass."""
        return failures_of(self.answers, self.comparisons, gate or Gate())

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the packet roofline: rate over time in the program, and the program's place."""
        from linerate.plot import roofline  # slow to load

        return roofline(self, ax=ax)

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {
            "program": str(self.path), "entry": self.entry, "notes": list(self.notes),
            "static": self.static, "counted": [count.to_dict() for count in self.counted],
            "answers": [answer.to_dict() for answer in self.answers],
            "comparisons": [comparison.to_dict() for comparison in self.comparisons],
            "explanation": self.explanation.to_dict() if self.explanation else None,
        }  # fmt: skip

    def __str__(self) -> str:
        how = " Not run: counted." if self.static else ""
        lines = [f"Does {self.entry} of {self.path} sustain line rate?{how}"]
        for place, answer in enumerate(self.answers):
            lines.append(f"{answer.datapath}, {answer.frame_bytes:.4g} B, "
                         f"{answer.link_gbps:g} Gbit/s: {answer}")  # fmt: skip
            if self.counted:
                lines.append(f"  counted  {self.counted[place]}")
            if self.comparisons:
                comparison = self.comparisons[place]
                lines.append(f"  against {comparison.against}: {comparison}")
        lines += [str(self.explanation)] if self.explanation else []
        return "\n".join([*lines, *(f"Note: {note}." for note in self.notes)])
