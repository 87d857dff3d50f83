"""What the system counts of a sender that counts nothing itself."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from linerate.measure.labs.veth import GENERATOR_DEVICE, VethLab

_NS_PER_TICK = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_IDLE_FIELDS = slice(4, 6)
"""Of a line of /proc/stat: idle, and waiting for a disk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderCounts:
    """Counters at one moment."""

    at_ns: int
    """Clock of ``time.monotonic_ns``."""
    sent: int
    """Packets given to the sending device, those lost at the far ring included."""
    lost: int
    """Packets that the far ring had no room for."""
    received: int
    """Packets that came to the sending device, whatever they were."""
    idle_ns: tuple[int, ...]
    """Idle time of each generator's core, by the kernel's ticks."""
    thread_ns: tuple[int, ...]
    """Run time of each of the device's NAPI threads."""
    wait_ns: tuple[int, ...]
    """Time that each of them was ready while another thread held its core."""


def look(lab: VethLab, dut_threads: Sequence[int]) -> SenderCounts:
    """Read every counter now."""
    folder = lab.generator.sys_class_net(GENERATOR_DEVICE) / "statistics"
    through, lost, received = (
        int((folder / name).read_text()) for name in ("tx_packets", "tx_dropped", "rx_packets")
    )
    times = [_schedstat(thread) for thread in dut_threads]
    return SenderCounts(
        at_ns=time.monotonic_ns(),
        sent=through + lost,
        lost=lost,
        received=received,
        idle_ns=tuple(_idle_ns(core) for core in lab.generator_cores),
        thread_ns=tuple(run_ns for run_ns, _ in times),
        wait_ns=tuple(wait_ns for _, wait_ns in times),
    )


def _schedstat(thread: int) -> tuple[int, int]:
    run_ns, wait_ns, _ = Path(f"/proc/{thread}/schedstat").read_text().split()
    return int(run_ns), int(wait_ns)


def _idle_ns(core: int) -> int:
    lines = Path("/proc/stat").read_text().splitlines()
    (words,) = [line.split() for line in lines if line.startswith(f"cpu{core} ")]
    return sum(int(ticks) for ticks in words[_IDLE_FIELDS]) * _NS_PER_TICK
