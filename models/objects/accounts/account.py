"""Where a program's time goes, by what was counted on the paths of its packets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from linerate.models.objects.accounts.shares import STRAIGHT, LineShare, Share, priced_shares
from linerate.models.objects.counted.estimate import Estimate
from linerate.models.objects.object_answer import ObjectAnswer
from linerate.models.objects.service import mpps
from linerate.programs.code import HelperCall, ProgramCode
from linerate.programs.count import MapUse
from linerate.programs.taken import Taken

SHARED = "shared"
ROUGH_RATIO = 2.0
"""Of measured over counted time, or the inverse, from which on the parts are called rough."""
PARTS_SHOWN = 10
"""That the text names; the others are summed."""
LITTLE_NS = 0.05
"""From which on a part has a line of its own."""
TEXT_SHOWN = 60
"""Characters of a line of the source."""
_WHOLE_NS = 100.0
"""From which on the text has no digits behind the point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountedPart:
    """Calls of one helper on one map, a loop, packet bytes, longer instructions, or the rest."""

    kind: str
    """``call``, ``function``, ``loop``, ``packet``, ``longer``, ``straight``, or ``shared``: what
    cores do to each other."""
    name: str
    """Helper and map, function, loop, or longer instruction."""
    map: MapUse | None
    """That is called on."""
    missed: bool
    """Whether nothing was found."""
    times: float
    """For a packet, mean over the traffic: calls, turns of a loop, or instructions."""
    instructions: float
    """Plain ones of a loop or of the rest; 0 of calls, whose own are the kernel's."""
    ns: float
    """For a packet; scaled to the measured time, where there is one."""
    inside_ns: float
    """Of a loop: what calls, longer instructions and loops in it take, which are parts too."""
    stands_in: bool
    """Whether its cost is that of another operation."""
    as_found: bool
    """Whether nothing was found, and the box has no cost of that: an empty table is cheaper."""
    without_mpps: float
    """Rate of the program without it, and what is inside, with the same queues."""
    lines: tuple[LineShare, ...]
    """Of the source, the most expensive first."""

    def __str__(self) -> str:
        words = f"{_ns(self.ns):>9}  {self._words}; without {self.without_mpps:.3g} Mpps"
        words += " (not calibrated)" if self.stands_in else ""
        known = [one.line for one in self.lines if one.line.line]
        more = f" and {len(self.lines) - 1} more" if len(self.lines) > 1 else ""
        return f"{words}  | {known[0]}{more}: {_cut(known[0].text)}" if known else words

    @property
    def _words(self) -> str:
        table = f" ({self.map.type}, {self.map.entries_max})" if self.map else ""
        missed = ", finds nothing" if self.missed else ""
        missed += ", priced as if it did" if self.as_found else ""
        return f"{self.name}{table}{self._times}{missed}"

    @property
    def _times(self) -> str:
        match self.kind:
            case "loop":
                each = self.ns / self.times if self.times else 0.0
                inside = f", {_ns(self.inside_ns)} more in its calls" if self.inside_ns else ""
                plural = "" if self.times == 1.0 else "s"
                return f": {self.times:.3g} turn{plural} a packet, {each:.3g} ns a turn{inside}"
            case "packet" | "straight":
                return f": {self.times:.3g} instructions"
            case _:
                return "" if self.times == 1.0 else f" x {self.times:.3g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A program's time, shared out over what its packets were counted to take."""

    code: ProgramCode
    frame_bytes: float
    """Of the traffic whose time is accounted for."""
    measured: bool
    """Whether the program was run; else the parts are as counted."""
    program_ns: float
    """As measured; as counted where it was not run."""
    alone_ns: float
    """Of it what the program takes while no other core runs it: to this the count is scaled."""
    counted_ns: float
    parts: tuple[AccountedPart, ...]
    """The most expensive first, straight code last; together ``program_ns``."""
    not_taken: tuple[HelperCall, ...]
    """Calls of the listing that none of these packets comes to."""

    @property
    def scale(self) -> float:
        """By what each counted part was multiplied."""
        return _ratio(self.alone_ns, self.counted_ns)

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {**asdict(self), "scale": self.scale}

    def __str__(self) -> str:
        lines = [
            f"{_ns(self.program_ns)} in {self.code.program}, frames of {self.frame_bytes:.4g} B, "
            f"by what these packets take{self._how}:",
            *(f"  {line}" for line in self._shown()),
        ]
        if self.not_taken:
            calls = dict.fromkeys(
                f"{call.helper} {call.map_name}".strip()
                + (f" in line {call.line}" if call.line else "")
                for call in self.not_taken
            )
            lines.append(f"  not on the way of these packets: {', '.join(calls)}")
        return "\n".join(lines)

    @property
    def _how(self) -> str:
        if not self.measured:
            return "; as counted, for it was not run: not scaled"
        is_rough = not 1.0 / ROUGH_RATIO <= self.scale <= ROUGH_RATIO
        rough = ": parts are rough" if is_rough else ""
        alone = (
            f" for {_ns(self.alone_ns)} on one core alone"
            if self.alone_ns < self.program_ns
            else ""
        )
        return (f"; {_ns(self.counted_ns)} were counted{alone}, each part is taken "
                f"{self.scale:.2f} times{rough}")  # fmt: skip

    def _shown(self) -> list[str]:
        """List the parts that are worth a line, the others as one, and straight code."""
        others = [part for part in self.parts if part.kind != STRAIGHT]
        named = [part for part in others if part.ns + part.inside_ns >= LITTLE_NS]
        last = [str(part) for part in self.parts if part.kind == STRAIGHT]
        little = [part.name for part in others if part not in named]
        if little:
            last.append(f"less than {LITTLE_NS:g} ns each: {', '.join(little)}")
        room = PARTS_SHOWN - len(last)
        if len(named) <= room:
            return [*map(str, named), *last]
        rest = named[room - 1 :]
        together = f"{_ns(sum(part.ns for part in rest)):>9}  {len(rest)} more parts together"
        return [*map(str, named[: room - 1]), together, *last]


def account(
    code: ProgramCode, counted: Estimate, answer: ObjectAnswer, *, measured: bool = True
) -> Account:
    """Share a program's time out over what was counted, in proportion.

    Parameters
    ----------
    code
        The listing, for calls that no packet comes to.
    counted
        On the paths of the packets, at the costs of the box.
    answer
        Of the same traffic.
    measured
        Whether the answer is of test runs; else nothing is scaled.
    """
    counted_ns = counted.program_ns
    program_ns = answer.program_ns if measured else counted_ns
    alone_ns = answer.alone_ns if measured and answer.is_shared else program_ns
    scale = _ratio(alone_ns, counted_ns)
    maps = {one.name: one for one in counted.count.maps}
    parts = [_part(share, scale, maps, answer) for share in priced_shares(counted)]
    if alone_ns < program_ns:
        parts.append(_shared(program_ns - alone_ns, answer))
    return Account(
        code=code, frame_bytes=answer.frame_bytes, measured=measured, program_ns=program_ns,
        alone_ns=alone_ns, counted_ns=counted_ns,
        parts=tuple(sorted(parts, key=lambda part: (part.kind == STRAIGHT, -part.ns))),
        not_taken=_not_taken(code, counted.count.taken),
    )  # fmt: skip


def _part(
    share: Share, scale: float, maps: dict[str, MapUse], answer: ObjectAnswer
) -> AccountedPart:
    ns, inside_ns = share.ns * scale, share.inside_ns * scale
    return AccountedPart(
        kind=share.kind, name=share.name, map=maps.get(share.on), missed=share.missed,
        times=share.times, instructions=share.instructions, ns=ns, inside_ns=inside_ns,
        stands_in=share.stands_in, as_found=share.as_found,
        lines=tuple(line.scaled(scale) for line in share.lines),
        without_mpps=_without(ns + inside_ns, answer),
    )  # fmt: skip


def _shared(ns: float, answer: ObjectAnswer) -> AccountedPart:
    return AccountedPart(
        kind=SHARED, name="cores that write to the same entries of maps", map=None, missed=False,
        times=1.0, instructions=0.0, ns=ns, inside_ns=0.0, stands_in=False,
        as_found=False, lines=(),
        without_mpps=_without(ns, answer),
    )  # fmt: skip


def _without(ns: float, answer: ObjectAnswer) -> float:
    """Rate of the program that takes so much less, with the same queues, Mpps."""
    left_ns = answer.packet_ns - min(ns, answer.program_ns)
    return mpps(left_ns, answer.queues, answer.line_rate_mpps)


def _ratio(ns: float, counted_ns: float) -> float:
    return ns / counted_ns if counted_ns else 1.0


def _not_taken(code: ProgramCode, taken: Sequence[Taken]) -> tuple[HelperCall, ...]:
    """Take the calls of the listing that were not counted; a line has a helper once."""
    came = {(one.name, one.line.line, one.line.text) for one in taken if one.kind == "call"}
    return tuple(call for call in code.calls if (call.helper, call.line, call.text) not in came)


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_SHOWN else f"{text[:TEXT_SHOWN].rstrip()} ..."


def _ns(value: float) -> str:
    return f"{value:.0f} ns" if value >= _WHOLE_NS else f"{value:.3g} ns"
