"""What may befall a campaign: kills, a full disk, stalls, and hands of others on its interfaces.

Each fault is begun at a moment that the caller chooses, and is over when its context ends.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

from linerate.measure.labs.napi import napi_threads
from linerate.measure.processes import built

from ..measure import leftovers
from . import starved
from .campaigns import Campaign
from .clocks import Started

STALL_SECONDS = 0.7
HOG_SECONDS = 1.0
ROOM_BYTES = 6000
"""Most bytes that a full disk still has, some lines of a journal."""
CLOCK_SET = "clock set"
POLLS_MOVED = "polls moved"
STEPS_SECONDS = (1, 3600, 86_400, 10**8)
"""A leap second, a wrong time zone, a day, and a battery that was empty."""
Fault = Callable[[Campaign, Started, random.Random], AbstractContextManager[None]]


@contextmanager
def _stopped(campaign: Campaign, process: Started, rng: random.Random) -> Iterator[None]:
    """One process, or all, are stopped for a while, as a debugger or a frozen group does."""
    children = sorted(leftovers.started())
    chosen = rng.choice(([process.pid], children, [process.pid, *children]))
    _send(chosen, signal.SIGSTOP)
    try:
        time.sleep(rng.uniform(0.0, STALL_SECONDS))
        yield
    finally:
        _send(chosen, signal.SIGCONT)


@contextmanager
def _full(campaign: Campaign, process: Started, rng: random.Random) -> Iterator[None]:
    """Its disk is full but for some bytes, until the campaign has ended."""
    disk = os.statvfs(campaign.disk)
    room = disk.f_bavail * disk.f_bsize - rng.randrange(ROOM_BYTES)
    fill = campaign.disk / "fill"
    with suppress(OSError), fill.open("wb") as file:
        file.write(b"\0" * max(room, 0))
    try:
        yield
        with suppress(AssertionError):
            process.wait(10.0)
    finally:
        fill.unlink(missing_ok=True)


@contextmanager
def _hog(campaign: Campaign, process: Started, rng: random.Random) -> Iterator[None]:
    """A real-time process takes a core for a while."""
    core = str(rng.choice(sorted(os.sched_getaffinity(0))))
    argv = ["timeout", str(HOG_SECONDS), "taskset", "--cpu-list", core, "chrt", "--fifo", "50",
            "sh", "-c", "while :; do :; done"]  # fmt: skip
    with subprocess.Popen(argv) as hog:
        hog.wait()
        yield


@contextmanager
def _clock_set(campaign: Campaign, process: Started, rng: random.Random) -> Iterator[None]:
    """The clock of the day is set forwards or back once a trial is kept, and stays so."""
    assert campaign.clock
    while process.poll() is None and not campaign.trials():
        time.sleep(0.01)
    campaign.clock.set(rng.choice((1, -1)) * rng.choice(STEPS_SECONDS))
    yield


@contextmanager
def _link_down(campaign: Campaign, process: Started, rng: random.Random) -> Iterator[None]:
    """An interface of the lab's is taken down."""
    _in_a_namespace(rng, "ip link set {device} down")
    yield


@contextmanager
def _removed(campaign: Campaign, process: Started, rng: random.Random) -> Iterator[None]:
    """An interface of the lab's is deleted."""
    _in_a_namespace(rng, "ip link delete {device}")
    yield


@contextmanager
def _program_taken(campaign: Campaign, process: Started, rng: random.Random) -> Iterator[None]:
    """Whatever program an interface of the lab's has is taken from it."""
    _in_a_namespace(rng, "ip link set {device} xdp off; tc qdisc del dev {device} clsact;"
                         " nft flush ruleset")  # fmt: skip
    yield


@contextmanager
def _rings(campaign: Campaign, process: Started, rng: random.Random) -> Iterator[None]:
    """Rings and channels of an interface are changed."""
    _in_a_namespace(rng, "ethtool -G {device} rx 64 tx 64; ethtool -L {device} rx 1 tx 1;"
                         " ip link set {device} txqueuelen 1")  # fmt: skip
    yield


@contextmanager
def _polls_moved(campaign: Campaign, process: Started, rng: random.Random) -> Iterator[None]:
    """Packets go to another core from now on, as where a card's interrupt is moved.

    A veth has no interrupt: softirqs of its queues are sent there, and threads that poll it moved.
    """
    core = rng.choice(sorted(os.sched_getaffinity(0)))
    of_queues = "/sys/class/net/*/queues/rx-*/rps_cpus"
    _in_a_namespace(rng, f"unshare --mount sh -c 'mount -t sysfs sysfs /sys;"
                         f" echo {1 << core:x} | tee {of_queues}'")  # fmt: skip
    for thread in napi_threads(f"dut{process.pid % 100000}"):
        with suppress(ProcessLookupError):
            os.sched_setaffinity(thread, {core})
    yield


@contextmanager
def _foreign(campaign: Campaign, process: Started, rng: random.Random) -> Iterator[None]:
    """Somebody puts a program of theirs on an interface: XDP where there is none, and tc."""
    own = built.program_object("xdp_drop")
    _in_a_namespace(rng, f"ip link set {{device}} xdpgeneric object {own} section xdp;"
                         " tc qdisc add dev {device} clsact;"
                         " tc filter add dev {device} ingress matchall action drop")  # fmt: skip
    yield


def _in_a_namespace(rng: random.Random, command: str) -> None:
    """Run a command on a device of a network namespace that the campaign made, if it has one."""
    own, found = os.stat("/proc/self/ns/net").st_ino, {}
    for pid in leftovers.started():
        with suppress(OSError):
            found[os.stat(f"/proc/{pid}/ns/net").st_ino] = pid
    found.pop(own, None)
    if not found:
        return
    enter = ["nsenter", "--target", str(found[rng.choice(sorted(found))]), "--net", "sh", "-c"]
    listed = subprocess.run([*enter, "ls /sys/class/net 2>/dev/null; ip -o link"],
                            capture_output=True, text=True, check=False).stdout  # fmt: skip
    devices = sorted({line.split(": ")[1].split("@")[0] for line in listed.splitlines()
                      if line.count(": ") > 1} - {"lo"})  # fmt: skip
    if devices:
        subprocess.run([*enter, command.format(device=rng.choice(devices))],
                       capture_output=True, check=False)  # fmt: skip


def _send(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


FAULTS: dict[str, Fault] = {
    "stop": _stopped,
    "full disk": _full,
    "real-time hog": _hog,
    "link down": _link_down,
    "link gone": _removed,
    "program taken": _program_taken,
    "rings changed": _rings,
    "foreign program": _foreign,
    POLLS_MOVED: _polls_moved,
    "nice hog": starved.hog,
    "interrupted calls": starved.interrupted,
    CLOCK_SET: _clock_set,
    **({"few processes": starved.few_processes} if starved.there_is("pids") else {}),
    **({"little memory": starved.little_memory} if starved.there_is("memory") else {}),
}
