"""Read maps.toml: values of variables, and the entries of maps."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from linerate.box import parse_toml
from linerate.errors import bad_input
from linerate.measure.objects.input_file import read_bytes
from linerate.measure.objects.maps.environment import (
    Environment,
    read_environment,
    with_indices,
)
from linerate.measure.objects.maps.fields import check_keys, table_of, whole_number
from linerate.measure.objects.maps.values import refused, shown

FILE_BYTES_MAX = 16 << 20
FIELD = "maps"
"""What errors call the file."""
ENTRIES_MAX = 1 << 20
"""Of all maps."""
DOTS_MAX = 32
_WORD = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_DEEP_KEY = re.compile(rf"(?<![\w-])(?:{_WORD}[ \t]*+\.[ \t]*+){{{DOTS_MAX}}}")
"""A key with many dots takes Python's parser minutes: the square of their number."""
_TABLE_KEYS = ("max_entries", "entries", "fill")
_REDIRECTING = ["value", "program"]
"""Of an entry that packets are redirected by, and that has a program."""
_ENTRY_KEYS = ("key", "value", "program", "map")
_FILL_KEYS = ("count", "first", "key", "value", "seed")
_SEED_MAX = 2**32 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A variable and what it is set to."""

    name: str
    value: object
    where: str
    """What errors call it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry of a map, as it is written."""

    where: str
    """What errors call it."""
    key: object = None
    """None where there is none."""
    value: object = None
    program: str | None = None
    map: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """Many entries, of which the text says one."""

    where: str
    """What errors call it."""
    count: int
    first: int = 0
    """Index of the first."""
    key: object = "index"
    value: object = None
    seed: int = 1
    """Of what is random."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapTable:
    """What is to become of a map."""

    name: str
    where: str
    """What errors call it."""
    max_entries: int | None = None
    """None leaves it as the object has it."""
    entries: tuple[Entry, ...] = ()
    fill: Fill | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MapsFile:
    """All that is set and filled."""

    assignments: tuple[Assignment, ...] = ()
    tables: tuple[MapTable, ...] = ()
    environment: Environment | None = None
    """None where neither file nor assignment names an interface."""


def read_maps_file(path: Path | None, assigned: Sequence[str] = ()) -> MapsFile:
    """Read a maps file, and assignments of a command line; a later one of a name counts.

    Parameters
    ----------
    path
        None where there is no file.
    assigned
        Texts ``name=value``; the value as in the file, where text needs no quotes.

    Raises
    ------
    BadInputError
        No TOML, or another key; with its place.
    """
    given = tuple(_assignment(text) for text in assigned)
    if path is None:
        return _with_indices(MapsFile(assignments=given))
    data = read_bytes(path, FIELD, FILE_BYTES_MAX)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise bad_input(
            FIELD, path, why="it is not UTF-8", allowed="a TOML file", do="correct the file"
        ) from error
    if _DEEP_KEY.search(text):
        raise bad_input(
            FIELD, path, why="a key has very many dots", allowed=f"fewer than {DOTS_MAX}",
            do="correct the file",
        )  # fmt: skip
    fields = parse_toml(text, str(path))
    check_keys(path.name, fields, ("set", "maps", "environment"))
    sets = table_of(f"{path.name}: set", fields.get("set", {}))
    tables = table_of(f"{path.name}: maps", fields.get("maps", {}))
    assignments = tuple(
        Assignment(name=name, value=value, where=f"{path.name}: set.{name}")
        for name, value in sets.items()
    )
    where = f"{path.name}: environment"
    return _with_indices(MapsFile(
        assignments=assignments + given,
        tables=tuple(_map_table(path.name, name, table) for name, table in tables.items()),
        environment=read_environment(where, fields["environment"])
        if "environment" in fields else None,
    ))  # fmt: skip


def _with_indices(file: MapsFile) -> MapsFile:
    """Put an interface's index where one is named by its role; the lab then has both."""
    found: list[str] = []

    def known(value: object, where: str) -> object:
        return with_indices(value, where, found)

    assignments = tuple(
        replace(each, value=known(each.value, each.where)) for each in file.assignments
    )
    tables = tuple(
        replace(
            table,
            entries=tuple(
                replace(one, key=known(one.key, one.where), value=known(one.value, one.where))
                for one in table.entries
            ),
            fill=table.fill and replace(
                table.fill, key=known(table.fill.key, table.fill.where),
                value=known(table.fill.value, table.fill.where),
            ),
        )
        for table in file.tables
    )  # fmt: skip
    if not found:
        return file
    return replace(
        file, assignments=assignments, tables=tables, environment=file.environment or Environment()
    )


def _assignment(text: str) -> Assignment:
    """Take a value for TOML where it is, else for text: addresses and bytes need no quotes."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise bad_input(
            "set", shown(text), why="it is not an assignment", allowed="name=value", do="correct it"
        )
    try:
        fields = {} if _DEEP_KEY.search(value) else tomllib.loads(f"value = {value}")
    except (ValueError, RecursionError):
        fields = {}
    parsed = fields["value"] if list(fields) == ["value"] else value
    return Assignment(name=name, value=parsed, where=f"set {name}")


def _map_table(source: str, name: str, fields: object) -> MapTable:
    where = f"{source}: maps.{name}"
    table = table_of(where, fields)
    check_keys(where, table, _TABLE_KEYS)
    entries = table.get("entries", [])
    if not isinstance(entries, list) or len(entries) > ENTRIES_MAX:
        raise refused(f"{where}.entries", entries, "it is not a list of entries",
                      f"up to {ENTRIES_MAX} tables")  # fmt: skip
    return MapTable(
        name=name, where=where,
        max_entries=whole_number(where, table, "max_entries", None, 1, 2**32 - 1),
        entries=tuple(_entry(f"{where}.entries[{at}]", one) for at, one in enumerate(entries)),
        fill=_fill(f"{where}.fill", table["fill"]) if "fill" in table else None,
    )  # fmt: skip


def _entry(where: str, fields: object) -> Entry:
    entry = table_of(where, fields)
    check_keys(where, entry, _ENTRY_KEYS)
    contents = [key for key in ("value", "program", "map") if key in entry]
    if len(contents) != 1 and contents != _REDIRECTING:
        raise refused(where, entry, "it holds " + (" and ".join(contents) or "nothing"),
                      "value, program or map")  # fmt: skip
    return Entry(
        where=where, key=entry.get("key"), value=entry.get("value"),
        program=_name(where, entry, "program"), map=_name(where, entry, "map"),
    )  # fmt: skip


def _fill(where: str, fields: object) -> Fill:
    fill = table_of(where, fields)
    check_keys(where, fill, _FILL_KEYS)
    for key in ("count", "value"):
        if key not in fill:
            raise refused(where, fill, f"{key} is missing", "count and value; key, first, seed")
    return Fill(
        where=where, key=fill.get("key", "index"), value=fill["value"],
        count=whole_number(where, fill, "count", 0, 1, ENTRIES_MAX) or 0,
        first=whole_number(where, fill, "first", 0, 0, 2**32 - 1) or 0,
        seed=whole_number(where, fill, "seed", 1, 0, _SEED_MAX) or 0,
    )  # fmt: skip


def _name(where: str, fields: dict[str, object], key: str) -> str | None:
    value = fields.get(key)
    if value is not None and not isinstance(value, str):
        raise refused(f"{where}.{key}", value, "it is not a name", f"the name of a {key}")
    return value
