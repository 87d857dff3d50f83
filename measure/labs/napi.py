"""The kernel's threads that poll a device, where its NAPI is threaded."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from linerate.errors import LinerateError, cannot_here

NICE_FIRST = -20
"""The device's threads run before other processes, as the generator does."""
_THREAD_WAIT_SECONDS = 2.0


def make_threaded(device: Path) -> None:
    """Let threads poll a device, given its folder of attributes.

    Raises
    ------
    CannotHereError
        This process may not write there.
    """
    try:
        (device / "threaded").write_text("1")
    except PermissionError as error:
        raise cannot_here(
            "root", why="writing a device's settings under /sys needs CAP_DAC_OVERRIDE",
            do='run it with sudo or with that capability, or use mode = "serial"',
        ) from error  # fmt: skip


def pin_napi_threads(device: str, cores: Sequence[int]) -> tuple[int, ...]:
    """Pin each thread of a device to a core of its own.

    Needed after every attach, which makes the threads anew.

    Parameters
    ----------
    device
        Its name, unique on this machine: the threads of every namespace are seen.
    cores
        As many as the device has threads.

    Returns
    -------
    Process ids of the threads.

    Raises
    ------
    CannotHereError
        This process may not move the kernel's threads.
    """
    threads = _await_threads(device, len(cores))
    try:
        for thread, core in zip(threads, cores, strict=True):
            os.sched_setaffinity(thread, {core})
            os.setpriority(os.PRIO_PROCESS, thread, NICE_FIRST)
    except PermissionError as error:
        raise cannot_here(
            "root", why="moving the kernel's NAPI threads to their cores needs CAP_SYS_NICE",
            do='run it with sudo or with that capability, or use mode = "serial"',
        ) from error  # fmt: skip
    return threads


def _await_threads(device: str, count: int) -> tuple[int, ...]:
    end = time.monotonic() + _THREAD_WAIT_SECONDS
    while len(threads := napi_threads(device)) != count:
        if time.monotonic() > end:
            raise LinerateError(
                f"NAPI threads: {len(threads)} of {count} came up; the kernel may lack "
                'threaded NAPI (5.12); use mode = "serial"'
            )
        time.sleep(0.005)
    return threads


def napi_threads(device: str) -> tuple[int, ...]:
    """Process ids of the NAPI threads of a device, by NAPI id."""
    found = []
    for comm in Path("/proc").glob("[0-9]*/comm"):
        try:
            name = comm.read_text().strip()
        except OSError:
            continue  # it ended meanwhile
        if name.startswith(f"napi/{device}-"):
            found.append((int(name.rsplit("-", 1)[1]), int(comm.parent.name)))
    return tuple(pid for _, pid in sorted(found))
