"""Entries of tables of programs and maps that the source itself puts in."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from linerate.measure.objects.code.instructions import FUNCTION, ObjectCode

SECTION = ".maps"
_POINTER_BYTES = 8
_MAGIC = 0xEB9F
_HEADER, _TYPE = struct.Struct("<HBBIIIII"), struct.Struct("<III")
_VARIABLE, _STRUCT = 14, 4
_BEHIND = {1: (4, 0), 3: (12, 0), 4: (0, 12), 5: (0, 12), 6: (0, 8), 13: (0, 8), 14: (4, 0),
           15: (0, 12), 17: (4, 0), 19: (0, 12)}  # fmt: skip
"""Bytes that follow a type of each kind: always, and for each of its members."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InitialEntry:
    """A slot of a table."""

    table: str
    index: int
    name: str
    is_program: bool
    """Whether it is a program; else a map."""


def initial_entries(found: ObjectCode) -> tuple[InitialEntry, ...]:
    """Read what the source puts into the slots of tables; nothing where BTF is damaged.

    References
    ----------
    Kernel documentation, *BPF Type Format*, sec. 2.
    """
    places = [place for place, one in enumerate(found.sections) if one.name == SECTION]
    if not places:
        return ()
    try:
        sizes = dict(_struct_sizes(found))
    except struct.error:
        return ()
    tables = [one for one in found.symbols if one.section == places[0] and one.name in sizes]
    return tuple(
        InitialEntry(
            table=table.name, name=named.name, is_program=named.kind == FUNCTION,
            index=(at - table.value - sizes[table.name]) // _POINTER_BYTES,
        )
        for at, named in found.relocations(places[0]).items()
        for table in tables
        if sizes[table.name] <= at - table.value < table.size
    )  # fmt: skip


def _struct_sizes(found: ObjectCode) -> Iterator[tuple[str, int]]:
    """Sizes of the structs that variables are, without the open array at the end, by name."""
    section = next((one for one in found.sections if one.name == ".BTF"), None)
    if section is None:
        return
    btf = found.data[section.offset : section.offset + section.section_bytes]
    magic, _, _, header, types_at, types_bytes, names_at, names_bytes = _HEADER.unpack_from(btf)
    if magic != _MAGIC:
        return
    names = btf[header + names_at :][:names_bytes]
    types = [(0, 0, 0), *_types(btf[header + types_at :][:types_bytes])]
    for name, info, to in types:
        if (info >> 24) & 0x1F == _VARIABLE and to < len(types):
            _, of, size = types[to]
            if (of >> 24) & 0x1F == _STRUCT:
                yield names[name:].partition(b"\0")[0].decode("ascii", "replace"), size


def _types(data: bytes) -> Iterator[tuple[int, int, int]]:
    at = 0
    while at < len(data):
        name, info, size = _TYPE.unpack_from(data, at)
        always, each = _BEHIND.get((info >> 24) & 0x1F, (0, 0))
        at += _TYPE.size + always + each * (info & 0xFFFF)
        yield name, info, size
