"""Reading files of lines back: trials and searches, one by one or run by run."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import IO, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from linerate.errors import BadInputError, bad_input
from linerate.files.earlier import as_of_today
from linerate.files.lines import check_line
from linerate.records import JournalEntry
from linerate.searches import SearchEntry

_ENTRY = TypeAdapter(JournalEntry)
_SEARCH = TypeAdapter(SearchEntry)
_RUN = re.compile(rb'^\{"run_id": "([^"\\]*)"')
JOURNAL_BYTES_MAX = 4 * 1024**3
"""A larger journal is refused."""
Entry = TypeVar("Entry", JournalEntry, SearchEntry)


def trials_in(path: Path) -> Iterator[JournalEntry]:
    """Read a journal's trials in order; a cut last line is left out."""
    return _entries(path, _ENTRY)


def searches_in(path: Path) -> Iterator[SearchEntry]:
    """Read finished searches in order, likewise."""
    return _entries(path, _SEARCH)


def runs_in(path: Path) -> Iterator[list[JournalEntry]]:
    """Read a journal run by run, in the order of their first trials; a run at a time in memory.

    A run's trials may lie apart: those that were measured again are at the end.
    """
    places: dict[bytes, array[int]] = defaultdict(lambda: array("q"))
    with _opened(path) as file:
        begin = 0
        for number, line in enumerate(file, start=1):
            if line.endswith(b"\n"):
                places[_run_id(line, number)].extend((number, begin))
            begin += len(line)
        for of_run in places.values():
            numbers, begins = of_run[::2], of_run[1::2]
            yield [_at(file, path, *place) for place in zip(numbers, begins, strict=True)]


def trial_from(line: bytes) -> JournalEntry:
    """Read a line of a journal; ValueError where it is not a trial, or not as it was written."""
    return _read(line, _ENTRY)


def search_from(line: bytes) -> SearchEntry:
    """Read a line of the file of searches, as ``trial_from`` does."""
    return _read(line, _SEARCH)


def _at(file: IO[bytes], path: Path, number: int, begin: int) -> JournalEntry:
    file.seek(begin)
    return _known(file.readline()[:-1], _ENTRY, path, number)


def _run_id(line: bytes, number: int) -> bytes:
    """Name the run of a line; what is not a trial is one of its own, refused when it is read."""
    if found := _RUN.match(line):
        return found[1]
    try:
        return str(from_json(line)["run_id"]).encode(errors="surrogateescape")
    except (ValueError, TypeError, KeyError):
        return b"\0%d" % number


def _entries(path: Path, kind: TypeAdapter[Entry]) -> Iterator[Entry]:
    with _opened(path) as file:
        for number, line in enumerate(file, start=1):
            if line.endswith(b"\n"):
                yield _known(line[:-1], kind, path, number)


def _opened(path: Path) -> IO[bytes]:
    if path.stat().st_size > JOURNAL_BYTES_MAX:
        raise bad_input(
            "journal", path, why="it is too large", allowed=f"at most {JOURNAL_BYTES_MAX} bytes",
            do="split the campaign",
        )  # fmt: skip
    return path.open("rb")


def _known(line: bytes, kind: TypeAdapter[Entry], path: Path, number: int) -> Entry:
    try:
        return _read(line, kind)
    except (ValidationError, ValueError) as error:
        raise _refused(path, number, "trial" if kind is _ENTRY else "search") from error


def _read(line: bytes, kind: TypeAdapter[Entry]) -> Entry:
    check_line(line)
    entry = kind.validate_json(as_of_today(line))
    started_at = entry.trial.started_at if isinstance(entry, JournalEntry) else entry.started_at
    if started_at:
        datetime.fromisoformat(started_at)
    return entry


def _refused(path: Path, number: int, what: str) -> BadInputError:
    return bad_input(
        "journal", f"{path}:{number}", why=f"this line is not a {what}",
        allowed="lines as linerate measure wrote them", do="go on with linerate measure --resume, "
        "which sets a spoiled line aside and measures its trial again, or take the line out by "
        "hand",
    )  # fmt: skip
