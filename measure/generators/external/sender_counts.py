"""What the system counts of a sender that counts nothing itself."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from linerate.measure.labs.cpu_times import idle_ns, thread_times_ns
from linerate.measure.labs.veth import GENERATOR_DEVICE, VethLab


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
    times = [thread_times_ns(thread) for thread in dut_threads]
    return SenderCounts(
        at_ns=time.monotonic_ns(),
        sent=through + lost,
        lost=lost,
        received=received,
        idle_ns=tuple(idle_ns(core) for core in lab.generator_cores),
        thread_ns=tuple(run_ns for run_ns, _ in times),
        wait_ns=tuple(wait_ns for _, wait_ns in times),
    )
