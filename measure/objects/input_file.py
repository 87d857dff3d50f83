"""The bytes of a file that a user names, never more than it may have."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from linerate.errors import bad_input


def read_bytes(path: Path, field: str, bytes_max: int) -> bytes:
    """Read a regular file whole.

    Parameters
    ----------
    path
        A pipe or a device is refused before it is waited for.
    field
        What errors call it.
    bytes_max
        A larger file is refused.

    Raises
    ------
    BadInputError
        It is missing, no regular file, unreadable, or too large.
    """
    try:
        # A pipe that nobody writes to would block the open itself.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            is_regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            data = file.read(bytes_max + 1) if is_regular else b""
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is not a path"
        raise bad_input(
            field, path, why=f"it cannot be read ({why})", allowed="a file that you may read",
            do="correct the path",
        ) from error  # fmt: skip
    if not is_regular:
        raise bad_input(
            field, path, why="it is a device or a pipe", allowed="a regular file",
            do="copy it into a file first",
        )  # fmt: skip
    if len(data) > bytes_max:
        raise bad_input(
            field, path, why=f"it has more than {bytes_max >> 20} MiB",
            allowed=f"up to {bytes_max >> 20} MiB", do="check that it is the right file",
        )  # fmt: skip
    return data
