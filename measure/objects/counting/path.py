"""One way of a packet through a program, and what is counted on it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from linerate.measure.objects.counting.context import Hook
from linerate.measure.objects.counting.function import Function, Loop, Spot
from linerate.measure.objects.counting.memory import Pointer, Region, Value

STACK_BYTES = 512
HEADROOM_BYTES = 256
PACKET_ROOM_BYTES = 4096 - 320
"""Of the page that a packet lies in, less what the kernel keeps at its end."""
PRIVATE = "<"
"""Begins the names of regions that do not outlive their packet; no map has such a name."""
CONTEXT, PACKET = "<context", "<packet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """A function that a helper calls again and again."""

    function: Function
    loop: Loop
    turn: int
    turns: int
    context: Value
    over_map: bool
    """Whether its turns are entries of a map."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Where a function goes back to."""

    function: Function
    place: int
    kept: tuple[Value, ...]
    """Registers 6 to 10."""
    within: Loop | None
    """The loop that the calling function is called in."""
    repeat: Repeat | None = None


class Event(NamedTuple):
    """A call, or an instruction that takes longer than others, at its place."""

    spot: Spot
    name: str
    """Of the helper, or the kind."""
    on: str = ""
    """The map, or the function that is called."""
    missed: bool = False
    """Whether it found nothing."""


@dataclass(slots=True)
class Tally:
    """What was counted so far."""

    instructions: int = 0
    spots: Counter[Spot] = field(default_factory=Counter)
    """The same instructions, by their place."""
    packet: Counter[Spot] = field(default_factory=Counter)
    """Those of them that read or write the packet."""
    events: Counter[Event] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    """Instructions that take longer than others, and calls of functions, by name."""
    turns: int = 0
    """Of loops."""
    halved: int = 0
    """Conditions that were not known."""
    programs: list[str] = field(default_factory=list)
    """Called one after the other by tail calls."""

    def copy(self) -> Tally:
        """Copy it, for a path of its own."""
        return Tally(self.instructions, Counter(self.spots), Counter(self.packet),
                     Counter(self.events), Counter(self.kinds), self.turns, self.halved,
                     list(self.programs))  # fmt: skip


@dataclass(slots=True, kw_only=True)
class Path:
    """A path, as far as it was followed."""

    hook: Hook
    function: Function
    place: int = 0
    spot: Spot
    """Of the instruction that is followed."""
    within: Loop | None = None
    """The loop that its function is called in."""
    registers: list[Value]
    callers: list[Caller] = field(default_factory=list)
    regions: dict[str, Region]
    entries: dict[tuple[str, bytes], bool] = field(default_factory=dict)
    """Entries of maps that were put in, or taken out, by the program itself."""
    start: int = HEADROOM_BYTES
    """First byte of the packet in its page."""
    end: int
    meta: int = HEADROOM_BYTES
    probability: float = 1.0
    tally: Tally = field(default_factory=Tally)
    ended: bool = False
    verdict: int | None = None
    """What it returned; None where that is not known, or it has not ended."""

    def fork(self) -> Path:
        """Copy it where a condition is not known."""
        return Path(
            hook=self.hook, function=self.function, place=self.place, spot=self.spot,
            within=self.within, registers=list(self.registers),
            callers=list(self.callers), entries=dict(self.entries), start=self.start, end=self.end,
            regions={name: region.copy() for name, region in self.regions.items()},
            meta=self.meta, probability=self.probability, tally=self.tally.copy(),
        )  # fmt: skip

    def read(self, where: Value, size: int) -> Value:
        """Read memory, the context included."""
        if not isinstance(where, Pointer):
            return None
        if where.region == CONTEXT and where.offset in self.hook.moving:
            return self._moving(where.offset)
        region = self.regions.get(where.region)
        return region.read(where.offset, size) if region else None

    def _moving(self, offset: int | None) -> Value:
        match self.hook.moving.get(offset or 0):
            case "start":
                return Pointer(PACKET, self.start)
            case "end":
                return Pointer(PACKET, self.end)
            case "meta":
                return Pointer(PACKET, self.meta)
            case "length":
                return self.end - self.start
            case None:
                return None

    def write(self, where: Value, size: int, value: Value) -> None:
        """Write memory; what lies elsewhere is not kept."""
        if isinstance(where, Pointer) and where.region in self.regions:
            self.regions[where.region].write(where.offset, size, value)

    def takes(self, kind: str, on: str = "") -> None:
        """Count an instruction that takes longer than others."""
        self.tally.kinds[kind] += 1
        self.tally.events[Event(self.spot, kind, on)] += 1

    def bytes_at(self, where: Value, size: int) -> bytes | None:
        """Take some bytes; None where they are not all known."""
        if not isinstance(where, Pointer) or where.region not in self.regions:
            return None
        return self.regions[where.region].bytes_at(where.offset, size)

    def enter(self, function: Function, arguments: list[Value]) -> None:
        """Begin a function, with a stack of its own."""
        name = f"{PRIVATE}stack{len(self.callers)}"
        self.regions[name] = Region.unknown(STACK_BYTES)
        self.function, self.place = function, 0
        self.registers = [None, *arguments, *[None] * (9 - len(arguments)),
                          Pointer(name, STACK_BYTES)]  # fmt: skip
