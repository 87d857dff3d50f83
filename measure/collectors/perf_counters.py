"""Hardware counters of whole cores around a piece of traffic, by ``perf stat``.

Counted is what happens on the cores, whichever process it belongs to: packets are handled in
softirqs and kernel threads, so a counter that follows one process sees none of it.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from linerate.errors import CannotHereError, LinerateError, cannot_here
from linerate.measure.processes.held import HeldProcess, hold_process
from linerate.measure.system.machine import tool_path

HARDWARE_EVENTS = (
    "cycles",
    "instructions",
    "branches",
    "branch-misses",
    "L1-dcache-loads",
    "L1-dcache-load-misses",
    "LLC-load-misses",
)
"""What Capeletti (2022) collected, and what it costs."""
SOFTWARE_EVENTS = ("task-clock", "context-switches", "cpu-migrations")
"""Counted by the kernel: there with or without a PMU."""
# The workload only holds perf, by our end of its standard input, until we have seen enough.
_HOLD = ("sh", "-c", "echo ready && exec cat")


@dataclass(frozen=True, slots=True, kw_only=True)
class PerfStat:
    """A ``perf stat`` that counts."""

    held: HeldProcess

    def finish(self) -> Mapping[str, float]:
        """Stop counting.

        Returns
        -------
        Event -> count over all cores, ms for ``task-clock``; without those that this machine
        cannot count. Events that took turns on too few counters are perf's own estimates.
        """
        return parse_counts(self.held.rest().splitlines())


@contextmanager
def open_perf(events: Sequence[str], cores: Collection[int]) -> Iterator[PerfStat]:
    """Count events on some cores until ``finish``; perf ends with this process in any case.

    Raises
    ------
    CannotHereError
        perf is not installed, or may not count whole cores.
    """
    perf = tool_path("perf")
    if perf is None:
        raise cannot_here(
            "perf", why="it is not installed", do="sudo apt-get install -y linux-perf"
        )
    argv = [
        perf, "stat", "--field-separator", ",", "--log-fd", "1", "--all-cpus",
        "--cpu", ",".join(map(str, cores)), "--event", ",".join(events), "--", *_HOLD,
    ]  # fmt: skip
    with hold_process("perf", argv) as held:
        yield PerfStat(held=held)


def parse_counts(lines: Iterable[str]) -> Mapping[str, float]:
    """Read ``perf stat -x,``; an event that was not counted is absent, not zero.

    >>> parse_counts(["57,,context-switches,403,100.00,141.2,/sec", "<not supported>,,cycles,0"])
    {'context-switches': 57.0}

    Raises
    ------
    LinerateError
        A line is none of perf's.
    """
    counts = {}
    for fields in csv.reader(line for line in lines if line and not line.startswith("#")):
        try:
            value, event = fields[0], fields[2]
            if not event:
                raise ValueError("no event")
            if not value.startswith("<not "):
                counts[event] = float(value)
        except (IndexError, ValueError) as error:
            raise LinerateError(f"perf: its answer cannot be read: {fields}") from error
    return counts


def check_hardware_counters() -> None:
    """Refuse where cores do not count their cycles.

    Raises
    ------
    CannotHereError
        No PMU, no perf or no rights.
    """
    with open_perf(["cycles"], [0]) as perf:
        if perf.finish():
            return
    raise CannotHereError(
        'perf: this machine\'s cores count no cycles, as in most virtual machines; leave "perf" '
        "out of probes, or measure on bare metal"
    )
