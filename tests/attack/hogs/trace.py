"""Who ran while a thread of the lab's was ready: told by each switch that the kernel made.

It knows nothing of what the lab reads of itself (run times, waits, idle and stolen time), so that
it can say whether these missed something.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

EVENTS = ("sched_switch", "sched_process_fork", "sched_wakeup")
OF_LAB = " || ".join(
    f'comm ~ "{name}"' for name in ("traffic", "napi/dut*", "xsk_*", "swx_run", "rte-worker*")
)
"""Of all threads that are woken on this machine these are kept."""
BUFFER_PAGES = "8192"
LINE = re.compile(r"\[(\d+)\]\s+(\d+)\.(\d{9}):\s+(?:sched:)?(\w+):\s+(.*)")
SWITCH = re.compile(r"prev_pid=(\d+) \S+ prev_state=(\S+) ==> next_comm=(.*) next_pid=(\d+)")
WAKE = re.compile(r"pid=(\d+) .*target_cpu=(\d+)")
FORK = re.compile(r" pid=(\d+) .*child_pid=(\d+)")
IDLE = 0
WAKING_NS = 100_000
"""Waking a thread takes an interrupt of the other core, whoever runs there: 10 to 30 us here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A time in which a thread that is none of the lab's had a core."""

    core: int
    by: int
    begin_ns: int
    end_ns: int


@dataclass(slots=True)
class Lab:
    """Threads of the lab's: what its owner starts, and what the kernel polls its device with."""

    owner: int
    threads: set[int]
    """Known when the trace begins."""
    others: set[int] = field(default_factory=set)
    """What its owner starts, but is none of the lab's."""
    beside: set[int] = field(default_factory=set)
    """Main threads of what its owner starts, which set up, sleep, and carry no packet; and the
    kernel's own that poll devices of everybody."""

    def holds(self, thread: int) -> bool:
        """Whether a thread is the lab's."""
        return thread in self.threads or thread in self.beside

    def forked(self, parent: int, child: int) -> None:
        """Take a thread in whose parent is the lab's, or its owner."""
        if parent == self.owner and child not in self.others:
            self.beside.add(child)
        elif parent in self.beside | self.threads:
            self.threads.add(child)

    def named(self, thread: int, name: str) -> None:
        """Take a thread in by its name."""
        if name.startswith(f"napi/dut{self.owner % 100000}"):
            self.threads.add(thread)
        elif name.startswith("ksoftirqd/"):
            self.beside.add(thread)


@dataclass(slots=True)
class _Core:
    number: int
    running: int = IDLE
    since_ns: int = 0
    ran: list[Span] = field(default_factory=list)
    """Whoever had it, but for the lab."""
    unmanned: list[Span] = field(default_factory=list)
    """When neither they nor a thread that carries packets had it."""
    ready: dict[int, list[Span]] = field(default_factory=dict)
    """Threads of the lab's that wait for it, and who has had it since."""

    def until(self, now_ns: int, lab: Lab) -> None:
        """Note who had it until now."""
        if now_ns == self.since_ns:
            return
        span = Span(core=self.number, by=self.running, begin_ns=self.since_ns, end_ns=now_ns)
        if self.running == IDLE or self.running in lab.beside:
            self.unmanned.append(span)
        elif self.running not in lab.threads:
            self.ran.append(span)
            for waited in self.ready.values():
                waited.append(span)
        self.since_ns = now_ns

    def served(self, thread: int) -> list[Span]:
        """End a thread's wait; one that is no longer than an interrupt takes is nobody's doing."""
        waited = self.ready.pop(thread, [])
        return waited if sum(each.end_ns - each.begin_ns for each in waited) >= WAKING_NS else []


@contextmanager
def traced(path: Path) -> Iterator[None]:
    """Record every switch on this machine into a file until the context ends."""
    events = [word for name in EVENTS for word in ("--event", f"sched:{name}")]
    (control, order), (answer, acknowledge) = os.pipe(), os.pipe()
    argv = ["perf", "record", "--quiet", "--all-cpus", "--clockid", "CLOCK_MONOTONIC", *events,
            "--mmap-pages", BUFFER_PAGES, "--output", path, "--delay", "-1",
            "--filter", OF_LAB, "--control", f"fd:{control},{acknowledge}"]  # fmt: skip
    perf = subprocess.Popen(argv, pass_fds=(control, acknowledge), stderr=subprocess.DEVNULL)
    os.close(control)
    os.close(acknowledge)
    with os.fdopen(order, "wb", buffering=0) as orders, os.fdopen(answer, "rb") as answers:
        try:
            orders.write(b"enable\n")
            if not answers.readline():
                raise SystemExit("perf: it cannot record (root, Debian: linux-perf)")
            yield
        finally:
            perf.send_signal(signal.SIGINT)
            perf.wait()


def events_of(path: Path) -> Iterator[tuple[int, int, str, str]]:
    """Core, time in ns, name and rest of each event, in order."""
    argv = ["perf", "script", "--ns", "--input", path, "--fields", "cpu,time,event,trace"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as it:
        for line in it.stdout or ():
            if found := LINE.search(line):
                cpu, seconds, ns, name, rest = found.groups()
                yield int(cpu), int(seconds) * 10**9 + int(ns), name, rest


@dataclass(slots=True)
class Cores:
    """What others had of each core."""

    lab: Lab
    cores: dict[int, _Core] = field(default_factory=dict)
    taken: set[Span] = field(default_factory=set)
    """While a thread of the lab's was ready for that core."""

    @property
    def ran(self) -> list[Span]:
        """At any time."""
        return [span for core in self.cores.values() for span in core.ran]

    @property
    def idle(self) -> list[Span]:
        """Nobody's."""
        return [span for core in self.cores.values() for span in core.unmanned if span.by == IDLE]

    @property
    def beside(self) -> list[Span]:
        """Of main threads of the lab's, and of the kernel's that poll for everybody."""
        return [span for core in self.cores.values() for span in core.unmanned if span.by != IDLE]

    def follow(self, events: Iterable[tuple[int, int, str, str]]) -> None:
        """Go through a trace."""
        for cpu, now_ns, name, rest in events:
            if name == "sched_switch" and (found := SWITCH.search(rest)):
                self._switched(self._core(cpu, now_ns, ran=int(found[1])), found)
            elif name == "sched_wakeup" and (found := WAKE.search(rest)):
                thread, core = int(found[1]), self._core(int(found[2]), now_ns)
                if thread in self.lab.threads and core.running != thread:
                    core.ready.setdefault(thread, [])
            elif name == "sched_process_fork" and (found := FORK.search(" " + rest)):
                self.lab.forked(*map(int, found.groups()))
        for core in self.cores.values():
            for thread in list(core.ready):
                self.taken.update(core.served(thread))

    def _core(self, number: int, now_ns: int, ran: int | None = None) -> _Core:
        core = self.cores.setdefault(number, _Core(number=number, since_ns=now_ns))
        if ran is not None and ran != core.running:  # no event told that another one went
            core.running = ran
            core.ready.pop(ran, None)
        core.until(now_ns, self.lab)
        return core

    def _switched(self, core: _Core, found: re.Match[str]) -> None:
        before, state, called, after = found.groups()
        self.lab.named(int(after), called)
        for each in self.cores.values():  # it may have waited for another one
            self.taken.update(each.served(int(after)))
        if state.startswith("R") and int(before) in self.lab.threads:
            core.ready[int(before)] = []
        core.running = int(after)


def descendants(owner: int) -> set[int]:
    """Threads of all processes that come of one, without its own."""
    found, parents = set(), [owner]
    while parents:
        children = {int(word) for parent in parents for word in _children(parent)}
        parents = sorted(children)
        found |= {int(each) for child in children for each in _listed(child)}
    return found


def _children(process: int) -> list[str]:
    return [word for task in Path(f"/proc/{process}/task").glob("*/children")
            for word in task.read_text().split()]  # fmt: skip


def _listed(process: int) -> list[str]:
    return os.listdir(f"/proc/{process}/task")
