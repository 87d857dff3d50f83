"""One process at a time in a campaign's folder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from linerate.errors import LinerateError, bad_input

LOCKS = Path("/proc/locks")
"""What the kernel lists: a lock a line, with its process and ``major:minor:inode``."""


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keep other processes of ours out of a folder, which is made where there is none.

    The lock is the kernel's, on the folder itself: no file says so, and it ends with the process,
    whatever ends that. A folder that is left empty is taken away again.

    Raises
    ------
    BadInputError
        Another process measures into it, or it is no folder.
    LinerateError
        It cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except (FileExistsError, NotADirectoryError) as error:
        raise bad_input("out", folder, why="it is no folder", allowed="a folder, new or not",
                        do="name another path") from error  # fmt: skip
    except OSError as error:
        raise LinerateError(f"out={folder}: it cannot be written ({error.strerror})") from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise bad_input(
                "out", folder, why=f"{_holder(handle)} measures into it",
                allowed="one process at a time", do="wait until it ends, or name another folder",
            ) from error  # fmt: skip
        yield
    finally:
        os.close(handle)
        with suppress(OSError):
            folder.rmdir()


def _holder(handle: int) -> str:
    """Name the process that holds the lock of a file."""
    inode = str(os.fstat(handle).st_ino)
    with suppress(OSError):
        for line in LOCKS.read_text().splitlines():
            words = line.split()
            if "FLOCK" in words and words[5].rpartition(":")[2] == inode:
                return f"process {words[4]}"
    return "another process"
