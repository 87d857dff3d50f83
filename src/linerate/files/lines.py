"""Files of lines, one JSON object each: a line is there whole, or not at all, or known as spoiled.

Each line ends with a CRC-32 of itself (``"crc32"``, the last key): a digit that a disk or a hand
changed is not a number of the campaign. Lines of before there were checksums have none.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from zlib import crc32

from pydantic_core import from_json

_CHECKSUM = re.compile(rb', "crc32": "([0-9a-f]{8})"\}$')


def append_line(path: Path, fields: Mapping[str, Any]) -> None:
    """Add one line to an existing file, on disk when this returns, or leave the file as it was.

    Raises
    ------
    OSError
        The disk is full or gone, or the file is a link.
    """
    line = with_checksum(json.dumps(fields).encode()) + b"\n"
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW)
    try:
        size = os.fstat(handle).st_size
        try:
            while line:  # a disk that fills up takes a part; the next write says why
                line = line[os.write(handle, line) :]
            os.fsync(handle)
        except OSError:
            with suppress(OSError):
                os.ftruncate(handle, size)
            raise
    finally:
        os.close(handle)


def with_checksum(line: bytes) -> bytes:
    """End a JSON object with a checksum of what is before it.

    >>> with_checksum(b'{"packets": 3}')
    b'{"packets": 3, "crc32": "70f7083e"}'
    """
    body = line.removesuffix(b"}")
    return body + b', "crc32": "%08x"}' % crc32(body)


def check_line(line: bytes) -> None:
    """Refuse a line that is not as it was written.

    Raises
    ------
    ValueError
        It is not JSON, or its checksum does not fit.
    """
    if end := _CHECKSUM.search(line):
        if crc32(line[: end.start()]) != int(end[1], 16):
            raise ValueError("its checksum does not fit")
    else:
        from_json(line)


def drop_open_line(path: Path) -> None:
    """Take off a last line that a crash cut short, so that the next one begins a line."""
    whole = path.read_bytes()
    end = whole.rfind(b"\n") + 1
    if end < len(whole):
        os.truncate(path, end)


def set_aside_spoiled(path: Path) -> tuple[int, ...]:
    """Move lines that are not as they were written to a file beside, ``<name>.spoiled``.

    Returns
    -------
    Their numbers, from 1. A file with none is not touched.
    """
    lines = path.read_bytes().splitlines(keepends=True)
    spoiled = tuple(number for number, line in enumerate(lines, start=1) if _is_spoiled(line))
    if spoiled:
        aside = frozenset(spoiled)
        beside, fresh = path.with_name(path.name + ".spoiled"), path.with_name(path.name + ".new")
        with beside.open("ab") as kept:
            kept.writelines(lines[number - 1] for number in spoiled)
            os.fsync(kept.fileno())
        with fresh.open("wb") as rest:
            rest.writelines(x for number, x in enumerate(lines, start=1) if number not in aside)
            os.fsync(rest.fileno())
        fresh.replace(path)
    return spoiled


def _is_spoiled(line: bytes) -> bool:
    try:
        check_line(line.rstrip(b"\n"))
    except ValueError:
        return True
    return False
