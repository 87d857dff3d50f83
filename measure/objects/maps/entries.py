"""Entries of a map, as lines of a runner's plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from linerate.measure.objects.listing import Map, Member, ObjectListing
from linerate.measure.objects.maps.map_types import type_of
from linerate.measure.objects.maps.maps_file import Entry, Fill, MapTable
from linerate.measure.objects.maps.patterns import Pattern, pattern_of
from linerate.measure.objects.maps.values import prefix_bytes, refused

KEY_BYTES_MAX = 512
VALUE_BYTES_MAX = 1 << 20
"""Larger ones the runner does not take."""
KEY_DRAWS_MAX = 100
"""Times that a random key is drawn until it is a new one."""
_INDEX = (Member(name="", offset_bits=0, bits=32, count=1, signed=False),)
"""What begins an entry of a devmap or a cpumap; a program may follow."""


_BEHIND = {"devmap": "/devmap", "cpumap": "/cpumap"}
"""End of the section of a program that an entry of a map may have."""
BEHIND_BYTES = 8
"""Of an entry with a program: an index, and the program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A line or two of the plan, and the key that they fill."""

    where: str
    key: bytes
    text: str


def entry_lines(listing: ObjectListing, table: Map, wish: MapTable, room: int) -> Iterator[str]:
    """Write a line for each entry that a map is to get.

    Parameters
    ----------
    listing
        Whose programs and maps may be entries.
    table
        The map.
    wish
        What is to be put into it.
    room
        How many entries it has room for.

    Raises
    ------
    BadInputError
        An entry of another kind, a value that does not fit, a key that comes twice, no room.
    """
    keys: set[bytes] = set()
    for count, line in enumerate(_lines(listing, table, wish), 1):
        index = int.from_bytes(line.key, "little")
        if type_of(table).is_array and index >= room:
            raise refused(line.where, index, f"{table.name} has {room} entries, from 0",
                          f"0..{room - 1}, or a larger max_entries")  # fmt: skip
        if count > room:
            raise refused(line.where, f"entry {count}", f"{table.name} has room for {room}",
                          f"up to {room} entries, or a larger max_entries")  # fmt: skip
        if table.key_bytes and line.key in keys:
            raise refused(line.where, f"0x{line.key.hex()}", "the key comes a second time",
                          "each key once")  # fmt: skip
        keys.add(line.key)
        yield line.text


def _lines(listing: ObjectListing, table: Map, wish: MapTable) -> Iterator[_Line]:
    if table.key_bytes > KEY_BYTES_MAX or table.value_bytes > VALUE_BYTES_MAX:
        raise refused(wish.where, f"{table.key_bytes} and {table.value_bytes} bytes",
                      "such keys or values cannot be put in",
                      f"{KEY_BYTES_MAX} and {VALUE_BYTES_MAX} bytes")  # fmt: skip
    for entry in wish.entries:
        yield _line(listing, table, entry)
    if wish.fill:
        yield from _filled(table, wish.fill)


def _line(listing: ObjectListing, table: Map, entry: Entry) -> _Line:
    _check_kind(table, entry)
    key = _constant(_key_pattern(table, entry.key, f"{entry.where}.key"), f"{entry.where}.key")
    if entry.program is not None and type_of(table).holds == "devices":
        return _redirecting(listing, table, entry, key)
    if entry.program is not None:
        programs = [program.name for program in listing.programs]
        known = _known(f"{entry.where}.program", entry.program, programs)
        return _Line(where=entry.where, key=key, text=f"call {table.name} {key.hex()} {known}")
    if entry.map is not None:
        maps = [one.name for one in listing.maps if not one.is_variables and one != table]
        known = _known(f"{entry.where}.map", entry.map, maps)
        return _Line(where=entry.where, key=key, text=f"nest {table.name} {key.hex()} {known}")
    return _Line(where=entry.where, key=key, text=_fill_text(table, entry, key))


def _fill_text(table: Map, entry: Entry, key: bytes) -> str:
    place = f"{entry.where}.value"
    value = _constant(_value_pattern(table, entry.value, place), place)
    return f"fill {table.name} {key.hex()} {value.hex()}"


def _redirecting(listing: ObjectListing, table: Map, entry: Entry, key: bytes) -> _Line:
    """Write two lines: where packets go, and the program that they come to there."""
    place, section = f"{entry.where}.program", _BEHIND[table.type.removesuffix("_hash")]
    if table.value_bytes != BEHIND_BYTES:
        raise refused(place, entry.program, f"values of {table.name} have {table.value_bytes} "
                      "bytes, which hold no program", "a map whose value is struct "
                      f"bpf_{table.type.removesuffix('_hash')}_val")  # fmt: skip
    names = [one.name for one in listing.programs if one.section.endswith(section)]
    program = _known(place, str(entry.program), names)
    text = f"{_fill_text(table, entry, key)}\nfollow {table.name} {key.hex()} {program}"
    return _Line(where=entry.where, key=key, text=text)


def _filled(table: Map, fill: Fill) -> Iterator[_Line]:
    """Write many entries; a random key that came already is drawn anew."""
    _check_kind(table, Entry(where=fill.where, value=fill.value))
    key_of = _key_pattern(table, fill.key if table.key_bytes else None, f"{fill.where}.key")
    value_of = _value_pattern(table, fill.value, f"{fill.where}.value")
    end, draws = fill.first + fill.count, np.random.default_rng(fill.seed)
    key_of.check_last(end - 1, f"{fill.where}.key")
    value_of.check_last(end - 1, f"{fill.where}.value")
    if table.key_bytes and not key_of.changing and fill.count > 1:
        raise refused(f"{fill.where}.key", fill.key, "all entries would have the same key",
                      '"index" or "random", whole or in a member')  # fmt: skip
    keys: set[bytes] = set()
    for index in range(fill.first, end):
        key = key_of.at(index, draws)
        for _ in range(KEY_DRAWS_MAX if table.key_bytes else 0):
            if key not in keys:
                break
            key = key_of.at(index, draws)
        keys.add(key)
        text = f"fill {table.name} {key.hex()} {value_of.at(index, draws).hex()}"
        yield _Line(where=fill.where, key=key, text=text)


def _check_kind(table: Map, entry: Entry) -> None:
    kind = type_of(table)
    if kind.holds == "nothing":
        raise refused(entry.where, table.name, f"{table.type}: {kind.why_not}", "no entries")
    if kind.holds != "devices" and entry.value is not None and entry.program is not None:
        raise refused(entry.where, table.name, f"a {table.type} holds value or program",
                      "both in a devmap or a cpumap")  # fmt: skip
    needs = {"values": "value", "devices": "value", "programs": "program", "maps": "map"}
    if getattr(entry, needs[kind.holds]) is None:
        raise refused(entry.where, table.name, f"it is a map of type {table.type}",
                      f"entries with key and {needs[kind.holds]}")  # fmt: skip


def _key_pattern(table: Map, key: object, where: str) -> Pattern:
    if not table.key_bytes:
        if key is not None:
            raise refused(where, key, f"a {table.type} has no keys", "entries with value alone")
        return Pattern(width_bytes=0, constant=0, changing=())
    if key is None:
        raise refused(where, "none", f"a {table.type} has keys", "a key for each entry")
    if table.type == "lpm_trie" and isinstance(key, str) and "/" in key:
        number = int.from_bytes(prefix_bytes(key, table.key_bytes, where), "little")
        return Pattern(width_bytes=table.key_bytes, constant=number, changing=())
    return pattern_of(key, table.key_bytes, table.key, where)


def _value_pattern(table: Map, value: object, where: str) -> Pattern:
    is_index = type_of(table).holds == "devices" and isinstance(value, int)
    return pattern_of(value, table.value_bytes, _INDEX if is_index else table.value, where)


def _constant(pattern: Pattern, where: str) -> bytes:
    if pattern.changing:
        raise refused(where, pattern.changing[0][1].kind, "there is one entry, not many",
                      "a value; in fill it may change")  # fmt: skip
    return pattern.constant.to_bytes(pattern.width_bytes, "little")


def _known(where: str, name: str, names: list[str]) -> str:
    if name not in names:
        raise refused(where, name, "the object has none of this name",
                      ", ".join(names) or "none")  # fmt: skip
    return name
