"""Gaps in the time of a core that has nothing else to do: stalls of the machine."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from linerate.errors import cannot_here
from linerate.measure.collectors.point import ProbePoint
from linerate.measure.processes import built
from linerate.measure.processes.held import HeldProcess, hold_process

GAP_NS = 5000
"""Shortest gap that counts: interrupts of a timer are shorter, what a wait is seen by is longer."""
WATCH_SECONDS = 0.25
"""Length of the watches before and after a trial."""
BESIDE_SECONDS_MAX = 600
"""A watch beside a longer trial ends before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StallCounts:
    """Gaps of one watch."""

    watched_ns: int
    """How long the core was watched, the gaps included."""
    gaps: int
    """Gaps of 5 us and more."""
    gap_ns: int
    """Their time together."""
    longest_ns: int
    bins: tuple[int, ...]
    """Gaps of 5 to 10 us, of 10 to 20 us, and so on; the last has no end."""


_COUNTS = TypeAdapter(StallCounts)


@dataclass(frozen=True, slots=True, kw_only=True)
class StallWatch:
    """Probes that wait, each for its core."""

    idle: tuple[HeldProcess, ...]
    """Of cores that are idle only while no trial runs."""
    spare: tuple[HeldProcess, ...]
    """Of cores that no part of the lab runs on."""

    def watch(self) -> Mapping[str, float]:
        """Watch all cores while nothing else runs."""
        with self._watching((*self.idle, *self.spare)) as counts:
            time.sleep(WATCH_SECONDS)
        return counts

    @contextmanager
    def beside(self) -> Iterator[dict[str, float]]:
        """Watch the spare cores meanwhile; the counts are there once the context has ended."""
        with self._watching(self.spare) as counts:
            yield counts
        if counts:
            counts["stall_beside_ns"] = counts["stall_watched_ns"]

    @contextmanager
    def _watching(self, probes: Collection[HeldProcess]) -> Iterator[dict[str, float]]:
        counts: dict[str, float] = {}
        for probe in probes:
            probe.tell("begin")
        yield counts
        for probe in probes:
            found = probe.parse(_COUNTS, probe.ask("end"))
            counts |= added(counts, _named(found))


def added(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, float]:
    """Add counts of two watches; of the longest gaps the longer stays.

    >>> added({"stall_gaps": 2, "stall_longest_ns": 9}, {"stall_gaps": 1, "stall_longest_ns": 7})
    {'stall_gaps': 3, 'stall_longest_ns': 9}
    """
    both = {name: first.get(name, 0) + second.get(name, 0) for name in {**first, **second}}
    longest = "stall_longest_ns"
    if longest in both:
        both[longest] = max(first.get(longest, 0), second.get(longest, 0))
    return both


def _named(found: StallCounts) -> dict[str, float]:
    bins = {f"stall_gaps_of_{GAP_NS // 1000 << place}": gaps
            for place, gaps in enumerate(found.bins) if gaps}  # fmt: skip
    return {
        "stall_watched_ns": found.watched_ns, "stall_gaps": found.gaps,
        "stall_gap_ns": found.gap_ns, "stall_longest_ns": found.longest_ns, **bins,
    }  # fmt: skip


def check_stall_probe() -> None:
    """Refuse a machine on which the probe was not built.

    Raises
    ------
    CannotHereError
        It is not built.
    """
    built.runner("stall_probe")


@contextmanager
def open_stall_watch(point: ProbePoint) -> Iterator[StallWatch]:
    """Start a probe for each core that is idle now and then.

    Parameters
    ----------
    point
        The device, and the cores of the lab.

    Raises
    ------
    CannotHereError
        No core is ever idle.
    """
    idle, spare = point.idle_cores, point.spare_cores(os.sched_getaffinity(0))
    if not idle and not spare:
        raise cannot_here("probes=stalls", why="no core of this machine is ever idle",
                          do="leave it out")  # fmt: skip
    with ExitStack() as stack:
        own = tuple(stack.enter_context(_probe(core)) for core in idle)
        others = tuple(stack.enter_context(_probe(core)) for core in spare)
        yield StallWatch(idle=own, spare=others)


@contextmanager
def _probe(core: int) -> Iterator[HeldProcess]:
    argv: list[str | Path] = [built.runner("stall_probe"), "--core", str(core)]
    argv += ["--gap-ns", str(GAP_NS), "--seconds-max", str(BESIDE_SECONDS_MAX)]
    with hold_process(f"stall probe of core {core}", argv, greets=False) as held:
        yield held
