"""What was counted in a user's program: instructions and calls on the paths of its packets."""

from __future__ import annotations

from dataclasses import dataclass, replace

from linerate.programs.taken import Taken


def call_name(helper: str, on: str, *, missed: bool) -> str:
    """Name calls that cost the same.

    >>> call_name("map_lookup_elem", "ports", missed=True)
    'map_lookup_elem ports (finds nothing)'
    """
    found = " (finds nothing)" if missed else ""
    return f"{helper} {on}".strip() + found


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCount:
    """Calls of one helper on one map."""

    helper: str
    """As ``bpf_helpers.h`` has it, without ``bpf_``."""
    map_name: str
    """Empty where there is none."""
    map_type: str
    """libbpf's word, such as ``lru_hash``; empty where there is none."""
    times: float
    """For a packet; a mean over paths need not be whole."""
    one_key: bool = False
    """Whether all packets of the traffic look the map up by the same key."""
    missed: bool = False
    """Whether they find nothing."""

    @property
    def name(self) -> str:
        """Helper and map, and whether nothing is found."""
        return call_name(self.helper, self.map_name, missed=self.missed)

    def __str__(self) -> str:
        table = f" {self.map_name} ({self.map_type})" if self.map_name else ""
        times = "" if self.times == 1 else f" x {self.times:.3g}"
        return f"{self.helper}{table}{times}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PathCount:
    """One path of the packets."""

    frame_bytes: int
    """Of the frame that takes it, with FCS."""
    share: float
    """Of the traffic, 0 to 1."""
    verdict: str
    """One of ``times.VERDICTS``; empty where what the program returns is not known."""
    instructions: int
    """That a packet takes; a wide load is one."""
    turns: int
    """Of loops, jumps backwards."""
    kinds: tuple[tuple[str, int], ...]
    """Those that take longer than others, and calls of functions, by name."""
    calls: tuple[CallCount, ...]
    programs: tuple[str, ...]
    """That were tail-called, in their order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapUse:
    """A map that the paths call."""

    name: str
    type: str
    key_bytes: int
    value_bytes: int
    entries_max: int
    """As it is loaded."""
    entries: int
    """That are put into it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramCount:
    """One program on one traffic, counted and not run."""

    program: str
    shortest: int
    """Instructions of the shortest path of the code, whichever packets take it."""
    longest: int
    """Of the longest on which each loop makes one turn; tail calls are not followed."""
    loops: int
    """In the code of the program, its functions, and the programs that are tail-called."""
    paths: tuple[PathCount, ...]
    """Shares add up to 1."""
    followed: float
    """Share of the packets whose paths were followed to their end, 0 to 1; the others are taken to
    be like them."""
    maps: tuple[MapUse, ...]
    notes: tuple[str, ...]
    """What was assumed, and what could not be counted."""
    no_program: tuple[str, ...] = ()
    """Slots of tables by which a packet calls a program where there is none."""
    taken: tuple[Taken, ...] = ()
    """All that the packets take, at its places in the code."""

    @property
    def instructions(self) -> float:
        """Mean over the packets."""
        return sum(path.share * path.instructions for path in self.paths)

    @property
    def turns(self) -> float:
        """Turns of loops, mean over the packets."""
        return sum(path.share * path.turns for path in self.paths)

    @property
    def calls(self) -> tuple[CallCount, ...]:
        """Calls of a packet, mean over the packets, in the order in which they come up."""
        times: dict[CallCount, float] = {}
        for path in self.paths:
            for call in path.calls:
                once = replace(call, times=1.0)
                times[once] = times.get(once, 0.0) + path.share * call.times
        return tuple(replace(call, times=mean) for call, mean in times.items())

    @property
    def kinds(self) -> dict[str, float]:
        """Longer instructions and calls of functions, mean over the packets."""
        found: dict[str, float] = {}
        for path in self.paths:
            for name, times in path.kinds:
                found[name] = found.get(name, 0.0) + path.share * times
        return found
