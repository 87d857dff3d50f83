"""Faults of what a machine gives: processes, memory, a core, calls that are not interrupted."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..measure import leftovers
from .campaigns import Campaign
from .clocks import Started

GROUPS = Path("/sys/fs/cgroup")
SECONDS = 1.0
MEMORY_BYTES = 4 << 20
"""New memory that all processes of a campaign together get; what they have is theirs."""
LIMITS = {"pids": "pids.max", "memory": "memory.limit_in_bytes"}
"""Controller of control groups, first version -> its file."""
INTERRUPTIONS = 40


def there_is(controller: str) -> bool:
    """Whether this machine can limit so (control groups of the first version, as root)."""
    return os.access(GROUPS / controller / "cgroup.procs", os.W_OK)


@contextmanager
def few_processes(campaign: Campaign, process: Started, rng: random.Random) -> Iterator[None]:
    """No process can be started, or few, for a while."""
    with _limited("pids", len(_threads()) + rng.randrange(3)):
        _await(process)
    yield


@contextmanager
def little_memory(campaign: Campaign, process: Started, rng: random.Random) -> Iterator[None]:
    """There is hardly any memory for a while, and the kernel ends who asks for it."""
    with _limited("memory", MEMORY_BYTES):
        _await(process)
    yield


@contextmanager
def hog(campaign: Campaign, process: Started, rng: random.Random) -> Iterator[None]:
    """A process that goes before all others of its class takes a core for a while."""
    core = str(rng.choice(sorted(os.sched_getaffinity(0))))
    subprocess.run(["timeout", str(SECONDS), "taskset", "--cpu-list", core, "nice", "-n", "-20",
                    "sh", "-c", "while :; do :; done"], check=False)  # fmt: skip
    yield


@contextmanager
def interrupted(campaign: Campaign, process: Started, rng: random.Random) -> Iterator[None]:
    """Calls that wait are interrupted again and again: each stop and go ends some with EINTR."""
    for _ in range(INTERRUPTIONS):
        for number in (signal.SIGSTOP, signal.SIGCONT):
            for pid in leftovers.started():
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
        time.sleep(rng.uniform(0.0, 0.02))
    yield


def _threads() -> list[str]:
    found: list[str] = []
    for pid in leftovers.started():
        with suppress(OSError):
            found += os.listdir(f"/proc/{pid}/task")
    return found


def _await(process: Started) -> None:
    end = time.monotonic() + SECONDS
    while process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)


@contextmanager
def _limited(controller: str, most: int) -> Iterator[None]:
    """All processes of the campaign share a control group with a limit."""
    group = GROUPS / controller / f"linerate-attack-{os.getpid()}"
    group.mkdir()
    try:
        _move(leftovers.started(), group)
        (group / LIMITS[controller]).write_text(str(most))
        yield
    finally:
        (group / LIMITS[controller]).write_text("max" if controller == "pids" else "-1")
        end = time.monotonic() + leftovers.SETTLE_SECONDS
        while (held := (group / "cgroup.procs").read_text().split()) and time.monotonic() < end:
            _move(map(int, held), group.parent)
        group.rmdir()


def _move(pids: Iterable[int], group: Path) -> None:
    for pid in list(pids):
        with suppress(OSError):
            (group / "cgroup.procs").write_text(str(pid))
