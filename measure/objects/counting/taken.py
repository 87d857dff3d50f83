"""What was counted on the paths of a traffic, by lines of the source and by loops."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from linerate.measure.objects.code.instructions import INSTRUCTION_BYTES, ObjectCode
from linerate.measure.objects.code.line_info import SourceLine, source_lines
from linerate.measure.objects.counting.function import Function, Loop
from linerate.measure.objects.counting.path import Tally
from linerate.programs.taken import CodeLine, Kind, LoopPlace, Taken

_TURN = "loop_turn"
"""The kind of longer instruction that a turn of a repeated function is."""
LONGER = frozenset({"division", "atomic", "function_call", _TURN})
"""Events that are no calls of the kernel."""


def taken_of(found: ObjectCode, tallies: Iterable[tuple[Tally, float]]) -> tuple[Taken, ...]:
    """Add up what was counted, each path by its share of the traffic.

    A turn of a loop is counted where its first instruction is reached.
    """
    source = _Source(found=found, lines=source_lines(found.data, found.sections))
    times: defaultdict[Taken, float] = defaultdict(float)
    for tally, share in tallies:
        for one in _of_path(source, tally):
            times[replace(one, times=1.0)] += share * one.times
    return tuple(replace(one, times=mean) for one, mean in times.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """Where the object says that its instructions come from."""

    found: ObjectCode
    lines: dict[tuple[str, int], SourceLine]

    def line(self, function: Function, place: int) -> CodeLine:
        symbol = function.symbol
        section = self.found.sections[symbol.section].name
        line = self.lines.get((section, symbol.value + place * INSTRUCTION_BYTES))
        return CodeLine(line=line.line, text=line.text, file=line.file) if line else CodeLine()

    def loop(self, loop: Loop | None) -> LoopPlace | None:
        if loop is None:
            return None
        # A compiler lays the loop's own line with the jump back; the first may be of its body.
        shape = loop.function.shapes.get(loop.place)
        line = self.line(loop.function, shape.back if shape else loop.place)
        return LoopPlace(function=loop.function.symbol.name, place=loop.place, line=line,
                         outer=self.loop(loop.outer))  # fmt: skip


def _of_path(source: _Source, tally: Tally) -> Iterator[Taken]:
    for spot, times in tally.spots.items():
        line, loop = source.line(spot.function, spot.place), source.loop(spot.loop)
        touching = tally.packet[spot]
        if touching:
            yield Taken(kind="packet", line=line, loop=loop, times=touching)
        if times > touching:
            yield Taken(kind="instruction", line=line, loop=loop, times=times - touching)
        if spot.function.headers[spot.place] == spot.place:
            yield Taken(kind="turn", line=line, loop=loop, times=times)
    for event, times in tally.events.items():
        spot = event.spot
        line, loop = source.line(spot.function, spot.place), source.loop(spot.loop)
        kind: Kind = "longer" if event.name in LONGER else "call"
        yield Taken(kind=kind, name=event.name, on=event.on, missed=event.missed, line=line,
                    loop=loop, times=times)  # fmt: skip
        if event.name == _TURN:
            yield Taken(kind="turn", line=line, loop=loop, times=times)
