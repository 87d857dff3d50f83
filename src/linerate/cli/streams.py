"""What becomes of words that a terminal does not take: a closed pipe, a full disk, plain ASCII."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress

DISK_REFUSES = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG})
"""What a file says that takes no more, stdout among them: its path is not in the error."""
PIPE_CLOSED = 141
"""Exit code where a reader such as ``head`` has had enough: that of a process ended by SIGPIPE."""


def take_any_character() -> None:
    r"""Print a character that a terminal's encoding lacks as an escape such as ``\u2026``."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def harmless(text: str) -> str:
    r"""Escape control characters: an error repeats what a file said, and a terminal obeys.

    >>> harmless("campaign=\x1b[2J: no such column")
    'campaign=\\x1b[2J: no such column'
    """
    return "".join(one if one.isprintable() or one in "\n\t" else ascii(one)[1:-1] for one in text)


def give_up_stdout() -> None:
    """Print nothing more there: what is still in its buffer would fail again when we end."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)
    with suppress(OSError):
        sys.stdout.flush()
