"""One process at a time in a campaign's folder."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from linerate.errors import LinerateError, bad_input

LOCKS = Path("/proc/locks")
"""What the kernel lists: a lock a line, with its process and ``major:minor:inode``."""
WAITS_S = (0.0, 0.02, 0.02, 0.02)
"""Before each try to take a folder: who only asks whether it is taken holds it for microseconds."""


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keep other processes of ours out of a folder, which is made where there is none.

    The lock is the kernel's, on the folder itself: no file says so, and it ends with the process,
    whatever ends that. A folder that is left empty is taken away again.

    Raises
    ------
    BadInputError
        Another process measures into it, or it is not a folder.
    LinerateError
        It cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except (FileExistsError, NotADirectoryError) as error:
        raise bad_input("out", folder, why="it is not a folder", allowed="a folder, new or not",
                        do="name another path") from error  # fmt: skip
    except OSError as error:
        raise LinerateError(f"out={folder}: it cannot be written ({error.strerror})") from error
    try:
        if not any(_lock(handle, fcntl.LOCK_EX, wait_s) for wait_s in WAITS_S):
            holder = holder_of(folder)
            who = "another process" if holder is None else f"process {holder}"
            raise bad_input(
                "out", folder, why=f"{who} measures into it", allowed="one process at a time",
                do="wait until it ends, or name another folder",
            )  # fmt: skip
        yield
    finally:
        os.close(handle)
        with suppress(OSError):
            folder.rmdir()


def is_taken(folder: Path) -> bool:
    """Whether a process measures into a folder. Nothing is written; the asking is no such lock.

    Raises
    ------
    OSError
        There is no such folder, or it may not be read.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return not _lock(handle, fcntl.LOCK_SH)
    finally:
        os.close(handle)


def holder_of(folder: Path) -> int | None:
    """Tell which process measures into a folder; None where the kernel lists none here."""
    with suppress(OSError):
        inode = str(folder.stat().st_ino)
        for line in LOCKS.read_text().splitlines():
            words = line.split()
            if "FLOCK" in words and words[5].rpartition(":")[2] == inode:
                return int(words[4])
    return None


def _lock(handle: int, kind: int, wait_s: float = 0.0) -> bool:
    """Take a lock, if it can be had after a while."""
    time.sleep(wait_s)
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
