"""Time that threads ran and cores idled, as the kernel counts it."""

from __future__ import annotations

import os
from pathlib import Path

_NS_PER_TICK = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_IDLE_FIELDS = slice(4, 6)
"""Of a line of /proc/stat: idle, and waiting for a disk."""


def thread_times_ns(thread: int) -> tuple[int, int]:
    """Time that a thread ran, and time that it was ready while another one held its core."""
    run_ns, wait_ns, _ = Path(f"/proc/{thread}/schedstat").read_text().split()
    return int(run_ns), int(wait_ns)


def idle_ns(core: int) -> int:
    """Idle time of a core, by the kernel's ticks."""
    lines = Path("/proc/stat").read_text().splitlines()
    (words,) = [line.split() for line in lines if line.startswith(f"cpu{core} ")]
    return sum(int(ticks) for ticks in words[_IDLE_FIELDS]) * _NS_PER_TICK
