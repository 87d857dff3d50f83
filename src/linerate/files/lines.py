"""Files of lines, one JSON object each: a line is there whole, or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any


def append_line(path: Path, fields: Mapping[str, Any]) -> None:
    """Add one line to an existing file, on disk when this returns, or leave the file as it was.

    Raises
    ------
    OSError
        The disk is full or gone.
    """
    line = (json.dumps(fields) + "\n").encode()
    size = path.stat().st_size
    try:
        with path.open("ab", buffering=0) as journal:
            while line:  # a disk that fills up takes a part; the next write says why
                line = line[journal.write(line) :]
            os.fsync(journal.fileno())
    except OSError:
        with suppress(OSError):
            os.truncate(path, size)
        raise


def drop_open_line(path: Path) -> None:
    """Take off a last line that a crash cut short, so that the next one begins a line."""
    whole = path.read_bytes()
    end = whole.rfind(b"\n") + 1
    if end < len(whole):
        os.truncate(path, end)
