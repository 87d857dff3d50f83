"""Time that threads ran and that cores were interrupted, as the kernel counts it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

_NS_PER_TICK = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_IDLE_FIELDS = slice(4, 6)
"""Of a line of /proc/stat: idle, and waiting for a disk."""
_INTERRUPT_FIELDS = slice(6, 8)
"""Interrupts, and what they leave to do, ksoftirqd's time included."""
_UNCERTAIN_NS = 1_000_000
"""Clocks of two threads are read one after the other, at both ends."""


def thread_times_ns(thread: int) -> tuple[int, int]:
    """Time that a thread ran, and time that it was ready while another one held its core."""
    run_ns, wait_ns, _ = Path(f"/proc/{thread}/schedstat").read_text().split()
    return int(run_ns), int(wait_ns)


def idle_ns(core: int) -> int:
    """Idle time of a core, by the kernel's ticks."""
    return _ticks_ns(core, _IDLE_FIELDS)


def interrupt_ns(core: int) -> int:
    """Time of a core in interrupts and softirqs, by the kernel's ticks."""
    return _ticks_ns(core, _INTERRUPT_FIELDS)


def _ticks_ns(core: int, fields: slice) -> int:
    lines = Path("/proc/stat").read_text().splitlines()
    (words,) = [line.split() for line in lines if line.startswith(f"cpu{core} ")]
    return sum(int(ticks) for ticks in words[fields]) * _NS_PER_TICK


def lasting_wait_ns(duration_ns: int, run_ns: int, wait_ns: int) -> int:
    """Time that a thread which always wants its core was without it.

    The kernel counts a wait when it ends: of one that lasts beyond what was counted, what the
    thread did not run by its own clock tells.

    >>> lasting_wait_ns(250_000_000, 50_000_000, 0)
    200000000
    >>> lasting_wait_ns(250_000_000, 248_500_000, 1_000_000)
    1000000
    """
    missing_ns = duration_ns - run_ns - wait_ns
    return wait_ns + missing_ns if missing_ns > _UNCERTAIN_NS else wait_ns


def unexplained_wait_ns(run_ns: Sequence[Sequence[int]], wait_ns: Sequence[Sequence[int]]) -> int:
    """Longest that a thread was ready while none of those named had its core.

    Threads that share a core by design wait for each other: that explains no more of a thread's
    waiting than the time that the other one ran.

    Parameters
    ----------
    run_ns, wait_ns
        Of the threads of each core, in the same order.

    >>> unexplained_wait_ns([[70, 20]], [[15, 75]])
    5
    """
    unexplained = [
        wait - (sum(runs) - runs[place])
        for runs, waits in zip(run_ns, wait_ns, strict=True)
        for place, wait in enumerate(waits)
    ]
    return max((0, *unexplained))
