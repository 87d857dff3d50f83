"""What packets take in a program, grouped as a reader looks for it, and priced."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from linerate.models.objects.counted.call_costs import MISSES
from linerate.models.objects.counted.estimate import Estimate, EstimatedPart
from linerate.programs.costs import INSTRUCTION
from linerate.programs.count import call_name
from linerate.programs.taken import CodeLine, LoopPlace, Taken

CALL, FUNCTION, LOOP, PACKET, LONGER, STRAIGHT = (
    "call", "function", "loop", "packet", "longer", "straight"
)  # fmt: skip
_FUNCTION_CALL = "function_call"
_TURN = "loop_turn"


@dataclass(frozen=True, slots=True, kw_only=True)
class LineShare:
    """What a part takes in one line of the source."""

    line: CodeLine
    times: float
    """Calls or instructions of a packet, mean over the traffic."""
    ns: float

    def scaled(self, scale: float) -> LineShare:
        """Multiply its time."""
        return replace(self, ns=self.ns * scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """Calls of one helper on one map, a loop, packet bytes, longer instructions, or the rest."""

    kind: str
    name: str
    on: str
    """The map, where there is one."""
    missed: bool
    times: float
    """Calls, turns, or instructions of a packet, mean over the traffic."""
    instructions: float
    """Plain ones of a loop or of the rest."""
    ns: float
    """As counted."""
    inside_ns: float
    """Of a loop: of all in it that is not a plain instruction of its own."""
    stands_in: bool
    as_found: bool
    """Whether a call that finds nothing is priced as one that does."""
    lines: tuple[LineShare, ...]
    """The most expensive first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """What is one share."""

    kind: str
    name: str
    on: str = ""
    missed: bool = False
    loop: LoopPlace | None = None


def priced_shares(counted: Estimate) -> tuple[Share, ...]:
    """Group what the packets take, each thing once, at the costs that the estimate has.

    A plain instruction in a loop is the loop's. Of the others those that read or write the packet
    are one share, and the rest is straight code.

    Returns
    -------
    Shares that add up to the estimate's time.
    """
    prices = {part.name: part for part in counted.parts}
    turns: defaultdict[LoopPlace, float] = defaultdict(float)
    groups: defaultdict[_Group, list[Taken]] = defaultdict(list)
    inside_ns: defaultdict[LoopPlace, float] = defaultdict(float)
    for one in counted.count.taken:
        if one.kind == "turn" and one.loop is not None:
            turns[one.loop] += one.times
            continue
        group = _group(one)
        groups[group].append(one)
        for loop in _around(one.loop):
            if loop != group.loop:
                inside_ns[loop] += one.times * _each_ns(one, prices)
    return tuple(
        _share(group, members, prices, turns, inside_ns) for group, members in groups.items()
    )


def _group(one: Taken) -> _Group:
    if one.kind == "call":
        return _Group(kind=CALL, name=f"{one.name} {one.on}".strip(), on=one.on, missed=one.missed)
    if one.name == _FUNCTION_CALL:
        return _Group(kind=FUNCTION, name=f"call of {one.on}")
    if one.kind == "longer" and one.name != _TURN:
        return _Group(kind=LONGER, name=one.name)
    if one.loop is not None:
        where = one.loop.line if one.loop.line.line else f"instruction {one.loop.place}"
        return _Group(kind=LOOP, name=f"loop at {where}", loop=one.loop)
    if one.kind == "packet":
        return _Group(kind=PACKET, name="reads and writes of the packet")
    return _Group(kind=STRAIGHT, name="straight code")


def _around(loop: LoopPlace | None) -> Iterator[LoopPlace]:
    while loop is not None:
        yield loop
        loop = loop.outer


def _price(one: Taken, prices: Mapping[str, EstimatedPart]) -> EstimatedPart | None:
    """Find what it costs; None where it costs no more than its instructions."""
    if one.kind in ("instruction", "packet"):
        return prices[INSTRUCTION]
    if one.kind == "call":
        return prices.get(call_name(one.name, one.on, missed=one.missed))
    return prices.get(one.name.replace("_", " "))


def _each_ns(one: Taken, prices: Mapping[str, EstimatedPart]) -> float:
    price = _price(one, prices)
    return price.each_ns if price else 0.0


def _share(
    group: _Group, members: Sequence[Taken], prices: Mapping[str, EstimatedPart],
    turns: Mapping[LoopPlace, float], inside_ns: Mapping[LoopPlace, float],
) -> Share:  # fmt: skip
    lines = _lines(members, prices)
    plain = sum(one.times for one in members if one.kind in ("instruction", "packet"))
    loop = group.loop
    times = sum(one.times for one in members) if loop is None else turns.get(loop, 0.0)
    found = [price for one in members if (price := _price(one, prices))]
    return Share(
        kind=group.kind, name=group.name, on=group.on, missed=group.missed, times=times,
        instructions=plain, ns=sum(line.ns for line in lines), lines=lines,
        inside_ns=inside_ns.get(loop, 0.0) if loop else 0.0,
        stands_in=any(price.stands_in for price in found),
        as_found=group.missed and not any(price.taken_as.startswith(MISSES) for price in found),
    )  # fmt: skip


def _lines(members: Sequence[Taken], prices: Mapping[str, EstimatedPart]) -> tuple[LineShare, ...]:
    times: defaultdict[CodeLine, float] = defaultdict(float)
    ns: defaultdict[CodeLine, float] = defaultdict(float)
    for one in members:
        times[one.line] += one.times
        ns[one.line] += one.times * _each_ns(one, prices)
    found = [LineShare(line=line, times=times[line], ns=ns[line]) for line in times]
    return tuple(sorted(found, key=lambda line: -line.ns))
