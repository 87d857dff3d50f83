"""Cores that never sleep: a virtual machine's sleeping core is woken when its host finds time."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")


def is_virtual(cpuinfo: str) -> bool:
    """Say whether a hypervisor lies below this machine's cores (x86; elsewhere it is not told).

    >>> is_virtual("flags\\t\\t: fpu hypervisor lahf_lm")
    True
    >>> is_virtual("flags\\t\\t: fpu lahf_lm")
    False
    """
    flags = next((line for line in cpuinfo.splitlines() if line.startswith("flags")), "")
    return "hypervisor" in flags.split()


def keep_awake() -> Callable[[], None]:
    """Give each core a loop that runs when nothing else does (SCHED_IDLE); return what ends them.

    A loop ends with its parent at the latest.
    """
    loops = [
        subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "taskset", "--cpu-list", str(core),
             "chrt", "--idle", "0", "sh", "-c", "while :; do :; done"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )
        for core in os.sched_getaffinity(0)
    ]  # fmt: skip

    def end() -> None:
        for loop in loops:
            loop.kill()
            loop.wait()

    return end
