"""The file by which a place is known as a store, and its version."""

from __future__ import annotations

import json
from contextlib import suppress

from linerate.campaigns.places import Place
from linerate.errors import BadInputError, bad_input

MARKER = "linerate-store.json"
VERSION = 1
A_STORE = "a place that linerate store add made"


def mark(place: Place) -> None:
    """Make a new or empty place a store; leave a store as it is.

    Raises
    ------
    BadInputError
        Something else is there, or a store of a newer linerate.
    LinerateError
        It cannot be written.
    """
    if place.has(MARKER):
        check_store(place)
        return
    foreign = [name for name in place.names() if not name.startswith(MARKER)]
    if foreign and not place.has(MARKER):  # which another process may have made by now
        raise bad_input("store", place.name, why=f"it holds {foreign[0]}", allowed="a store, or a "
                        "new or empty folder", do="name another place")  # fmt: skip
    place.put(MARKER, json.dumps({"schema_version": VERSION}).encode() + b"\n")


def check_store(place: Place) -> None:
    """Refuse a place that is not a store, or one of a newer linerate.

    Raises
    ------
    BadInputError
        Which of these it is.
    """
    if not place.has(MARKER):
        raise _refused(place, "there is no store", "begin one: linerate store add "
                       f"{place.name} RUNS")  # fmt: skip
    version: object = None
    with suppress(ValueError, AttributeError, OSError):
        version = json.loads(place.read(MARKER)).get("schema_version")
    if not isinstance(version, int):
        raise _refused(place, f"{MARKER} is spoiled", f'write {{"schema_version": {VERSION}}} '
                       "into it")  # fmt: skip
    if version > VERSION:
        raise _refused(place, f"it is of a newer linerate (schema {version}, this one knows up to "
                       f"{VERSION})", "update linerate")  # fmt: skip


def _refused(place: Place, why: str, do: str) -> BadInputError:
    return bad_input("store", place.name, why=why, allowed=A_STORE, do=do)
