"""Where the time of a program goes that cannot be followed: what its listing calls, priced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from linerate.box import Box
from linerate.models.objects.counted.call_costs import calibrated_as
from linerate.models.objects.object_answer import ObjectAnswer
from linerate.models.objects.service import mpps
from linerate.programs.code import HelperCall, ProgramCode
from linerate.programs.costs import operation_costs
from linerate.units import short


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One call of a helper, as the listing has it."""

    call: HelperCall
    operation: str
    """What it was calibrated as; empty where it was not."""
    cost_ns: float | None
    """Of one call; None where it was not calibrated."""
    without_mpps: float | None
    """Rate of the program if it called this once less, with the same queues."""

    def __str__(self) -> str:
        call = self.call
        cost = "not calibrated" if self.cost_ns is None else f"{short(self.cost_ns)} ns"
        table = f" {call.map_name} ({call.map_type}, {call.entries_max})" if call.map_name else ""
        place = f"line {call.line}" if call.line else "no line"
        gain = "" if self.without_mpps is None else f"; without it {self.without_mpps:.3g} Mpps"
        again = ", each time in a loop" if call.in_loop else ""
        text = f"  | {call.text}" if call.text else ""
        return f"{place}: {call.helper}{table} {cost}{again}{gain}{text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A program's time, as far as calls of the kernel account for it."""

    code: ProgramCode
    frame_bytes: float
    """Of the traffic whose time is explained."""
    program_ns: float
    """As measured."""
    why: str
    """Why its packets were not followed."""
    known_ns: float
    """Of all calls that were calibrated, each once, whichever path a packet takes."""
    parts: tuple[Part, ...]
    """The most expensive first; those that were not calibrated last."""

    @property
    def rest_ns(self) -> float:
        """Time of all other instructions and calls; negative: not on the path, or cheaper."""
        return self.program_ns - self.known_ns

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {**asdict(self), "rest_ns": self.rest_ns}

    def __str__(self) -> str:
        code = self.code
        lines = [
            f"{short(self.program_ns)} ns in {code.program} ({code.instructions} instructions, "
            f"{code.loops} loop{'' if code.loops == 1 else 's'}), frames of "
            f"{self.frame_bytes:.4g} B.",
            f"The packets were not followed: {self.why}. Each call of the code once, whichever "
            "path it lies on, not scaled:",
            *(f"  {part}" for part in self.parts),
        ]
        if self.rest_ns >= 0.0:
            others = ["instructions", *(["what was not calibrated"] if self._unknown else []),
                      *(["loops"] if code.loops else [])]  # fmt: skip
            lines.append(f"  the rest: {short(self.rest_ns)} ns, of {' and '.join(others)}")
        else:
            lines.append(f"  together {short(self.known_ns)} ns, more than was measured: some may "
                         "not be on the way of these packets, or cost less here")  # fmt: skip
        return "\n".join(lines)

    @property
    def _unknown(self) -> bool:
        return any(part.cost_ns is None for part in self.parts)


def explain(code: ProgramCode, answer: ObjectAnswer, box: Box, why: str) -> Explanation:
    """Account for the time that test runs took, by the calls of the listing.

    Costs are those of tables that the caches hold; a call counts once, whichever path it lies on.

    Parameters
    ----------
    code
        The listing.
    answer
        What the test runs took.
    box
        With costs of operations.
    why
        The packets were not followed, a clause.
    """
    costs = {name: cost.value_ns for name, cost in operation_costs(box.costs).items()}
    parts = [_part(call, costs, answer) for call in code.calls]
    return Explanation(
        code=code, frame_bytes=answer.frame_bytes, program_ns=answer.program_ns, why=why,
        known_ns=sum(part.cost_ns or 0.0 for part in parts),
        parts=tuple(sorted(parts, key=lambda part: -(part.cost_ns or 0.0))),
    )  # fmt: skip


def _part(call: HelperCall, costs: Mapping[str, float], answer: ObjectAnswer) -> Part:
    operation = calibrated_as(call.helper, call.map_type)
    if operation is None or operation.name not in costs:
        return Part(call=call, operation="", cost_ns=None, without_mpps=None)
    cost_ns = operation.times * costs[operation.name]
    left_ns = answer.packet_ns - min(cost_ns, answer.program_ns)
    return Part(call=call, operation=operation.name, cost_ns=cost_ns,
                without_mpps=mpps(left_ns, answer.queues, answer.line_rate_mpps))  # fmt: skip
