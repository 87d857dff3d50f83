"""Where a program's time goes, by what was counted on the paths of its packets."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from linerate.models.objects.estimate import Estimate, EstimatedPart
from linerate.models.objects.object_answer import ObjectAnswer
from linerate.models.objects.service import mpps
from linerate.programs.code import HelperCall, ProgramCode
from linerate.programs.costs import INSTRUCTION

ROUGH_RATIO = 2.0
"""Of measured over counted time, or the inverse, from which on the parts are called rough."""
LINES_SHOWN = 2
"""Lines of the source that the text names of a part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountedPart:
    """Calls of one helper on one table, one kind of longer instruction, or the plain ones."""

    name: str
    times: float
    """For a packet, mean over the traffic."""
    ns: float
    """For a packet, as a share of the measured time."""
    stands_in: bool
    """Whether its cost is that of another operation."""
    without_mpps: float
    """Rate of the program without it, with the same queues."""
    calls: tuple[HelperCall, ...]
    """Where the source has it."""

    def __str__(self) -> str:
        first = self.calls[0] if self.calls else None
        table = f" ({first.map_type}, {first.entries_max})" if first and first.map_type else ""
        times = "" if self.times == 1.0 else f" x {self.times:.3g}"
        name = "instructions" if self.name == INSTRUCTION else f"{self.name}{table}"
        said = f"{name}{times} {self.ns:.3g} ns; without {self.without_mpps:.3g} Mpps"
        said += " (not calibrated)" if self.stands_in else ""
        lines = dict.fromkeys((call.line, call.text) for call in self.calls if call.line)
        shown = [f"line {line}: {text}".rstrip(": ") for line, text in list(lines)[:LINES_SHOWN]]
        more = len(lines) - len(shown)
        return "  | ".join([said, *shown, *([f"and {more} more"] if more > 0 else [])])


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A program's time, shared out over what its packets were counted to take."""

    code: ProgramCode
    frame_bytes: float
    """Of the traffic whose time is accounted for."""
    program_ns: float
    """As measured; as counted where it was not run."""
    counted_ns: float
    turns: float
    """Of loops, for a packet."""
    parts: tuple[AccountedPart, ...]
    """The most expensive first; together ``program_ns``."""
    not_taken: tuple[HelperCall, ...]
    """Calls of the listing that none of these packets comes to."""

    @property
    def scale(self) -> float:
        """By what each counted part was multiplied."""
        return self.program_ns / self.counted_ns if self.counted_ns else 1.0

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {**asdict(self), "scale": self.scale}

    def __str__(self) -> str:
        turns = f", {self.turns:.3g} turns of loops" if self.turns else ""
        how = "" if self.scale == 1.0 else (
            f"; {self.counted_ns:.3g} ns were counted, each part is taken {self.scale:.2f} times"
        )  # fmt: skip
        rough = not 1.0 / ROUGH_RATIO <= self.scale <= ROUGH_RATIO
        lines = [
            f"{self.program_ns:.3g} ns in {self.code.program}, frames of {self.frame_bytes:.4g} B, "
            f"by what these packets take{turns}{how}{': parts are rough' if rough else ''}:",
            *(f"  {part}" for part in self.parts),
        ]
        if self.not_taken:
            calls = dict.fromkeys(
                f"{call.helper} {call.map_name}".strip()
                + (f" in line {call.line}" if call.line else "")
                for call in self.not_taken
            )
            lines.append(f"  not on the way of these packets: {', '.join(calls)}")
        return "\n".join(lines)


def account(code: ProgramCode, counted: Estimate, answer: ObjectAnswer) -> Account:
    """Share a program's time out over what was counted, in proportion.

    Parameters
    ----------
    code
        The listing, for tables and lines of the source.
    counted
        On the paths of the packets, at the costs of the box.
    answer
        Of the same traffic.
    """
    counted_ns, program_ns = counted.program_ns, answer.program_ns
    scale = program_ns / counted_ns if counted_ns else 1.0
    parts = [_part(part, scale, code, answer) for part in counted.parts if part.total_ns > 0.0]
    taken = {(call.helper, call.map_name) for call in counted.count.calls}
    return Account(
        code=code, frame_bytes=answer.frame_bytes, program_ns=program_ns, counted_ns=counted_ns,
        turns=counted.count.turns, parts=tuple(sorted(parts, key=lambda part: -part.ns)),
        not_taken=tuple(call for call in code.calls if not any(_is(call, *one) for one in taken)),
    )  # fmt: skip


def _part(
    part: EstimatedPart, scale: float, code: ProgramCode, answer: ObjectAnswer
) -> AccountedPart:
    ns = part.total_ns * scale
    helper, _, table = part.name.partition(" ")
    left_ns = answer.packet_ns - min(ns, answer.program_ns)
    return AccountedPart(
        name=part.name, times=part.times, ns=ns, stands_in=part.stands_in,
        without_mpps=mpps(left_ns, answer.queues, answer.line_rate_mpps),
        calls=tuple(call for call in code.calls if _is(call, helper, table)),
    )  # fmt: skip


def _is(call: HelperCall, helper: str, table: str) -> bool:
    """Whether a place of the listing is such a call; of some it does not say the table."""
    return call.helper == helper and call.map_name in ("", table)
