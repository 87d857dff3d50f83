"""Where threads ran: their CPU, and the hardware threads of the same core."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from linerate.errors import DeviceFailedError
from linerate.records import ThreadPlace

LAST_CPU = 36
"""Field of /proc/PID/stat after the name, from 0: the CPU that a thread ran on last."""
CPUS = Path("/sys/devices/system/cpu")


def places_of(
    threads: Sequence[int], proc: Path = Path("/proc"), cpus: Path = CPUS
) -> tuple[ThreadPlace, ...]:
    """Tell where threads ran last, in their order.

    Parameters
    ----------
    threads
        Process ids.
    proc, cpus
        Where the kernel says it.

    Raises
    ------
    DeviceFailedError
        One of them has ended.
    """
    found = []
    for thread in threads:
        try:
            text = (proc / str(thread) / "stat").read_text()
        except (FileNotFoundError, ProcessLookupError) as error:
            raise DeviceFailedError(f"thread {thread} of the device has ended") from error
        cpu = int(text.rpartition(")")[2].split()[LAST_CPU])
        found.append(ThreadPlace(cpu=cpu, siblings=siblings_of(cpu, cpus)))
    return tuple(found)


def siblings_of(cpu: int, cpus: Path = CPUS) -> tuple[int, ...]:
    """List the other hardware threads of a CPU's core; none where the kernel does not say."""
    path = cpus / f"cpu{cpu}/topology/thread_siblings_list"
    if not path.is_file():
        return ()
    ends = [part.split("-") for part in path.read_text().strip().split(",") if part]
    every = [one for end in ends for one in range(int(end[0]), int(end[-1]) + 1)]
    return tuple(one for one in every if one != cpu)
