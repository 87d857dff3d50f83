"""Files inside the page, so that one that was mailed still gives them."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterator
from dataclasses import dataclass

from linerate.reports.page.page import Contents, Written

PAGE_BYTES_MAX = 6_000_000
"""What a mail takes: what would make the page larger stays beside it."""
PACKED = ("PDF", "PNG")
"""Forms that are compressed already."""
ATTRIBUTES_BYTES = 50
"""What the page says around a file's content."""
PICTURE = "PNG"
"""Form that the page shows, and a download takes from there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """The content of one file, as the page's script unpacks it."""

    packing: str
    """``gzip`` or ``plain``."""
    base64: str


def embedded_files(contents: Contents, room: int) -> tuple[dict[str, Embedded], bool]:
    """Take files into the page while there is room: numbers first, then pictures.

    Parameters
    ----------
    contents
        What the page says, and its files.
    room
        Bytes left.

    Returns
    -------
    Those by path, and whether they are all.
    """
    found: dict[str, Embedded] = {}
    every = list(_by_worth(contents))
    for file in every:
        packed = _packed(file)
        needed = len(packed.base64) + ATTRIBUTES_BYTES
        if needed <= room:
            found[file.path] = packed
            room -= needed
    return found, len(found) == len(every)


def _by_worth(contents: Contents) -> Iterator[Written]:
    """List every table's file, then figures' by kind: CSV, those of the first width, others."""
    for part in contents.parts:
        yield from (table.file for table in part.tables)
    drawn = [file for part in contents.parts for figure in part.figures for file in figure.files]
    yield from (file for file in drawn if file.form == "CSV")
    yield from (
        file for file in drawn if file.form not in ("CSV", PICTURE) and " " not in file.form
    )
    yield from (file for file in drawn if " " in file.form)


def _packed(file: Written) -> Embedded:
    if file.form.startswith(PACKED):
        return Embedded(packing="plain", base64=in_base64(file.content))
    # Without a time in it, the same file packs to the same text.
    return Embedded(packing="gzip", base64=in_base64(gzip.compress(file.content, mtime=0)))


def in_base64(content: bytes) -> str:
    """Write bytes as ASCII.

    >>> in_base64(b"ab")
    'YWI='
    """
    return base64.b64encode(content).decode()
