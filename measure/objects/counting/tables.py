"""Maps and variables of an object as they are when its first packet comes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from linerate.measure.objects.code.elf import Section
from linerate.measure.objects.code.instructions import ObjectCode
from linerate.measure.objects.counting.initial import initial_entries
from linerate.measure.objects.counting.memory import REGION_BYTES_MAX, Region
from linerate.measure.objects.listing import Map, ObjectListing
from linerate.measure.objects.maps.settings import Settings

ARRAYS = ("array", "percpu_array", "prog_array", "array_of_maps")
_KNOWN_VARIABLES = (".rodata", ".data", ".bss")
_NO_BITS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """One map, as it is loaded and filled."""

    table: Map
    room: int
    entries: dict[bytes, bytes] = field(default_factory=dict)
    programs: dict[int, str] = field(default_factory=dict)
    """Of a table of programs, by index."""
    nested: dict[bytes, str] = field(default_factory=dict)
    """Of a table of maps, by key."""

    @property
    def is_array(self) -> bool:
        """Whether its keys are the numbers below its room."""
        return self.table.type in ARRAYS

    def match(self, key: bytes) -> bytes | None:
        """Find the key of the entry that a lookup ends at: itself, or the longest prefix."""
        if self.table.type == "lpm_trie":
            return _longest_prefix(self.entries, key)
        return key if key in self.entries else None


def _longest_prefix(entries: dict[bytes, bytes], key: bytes) -> bytes | None:
    bits = 8 * (len(key) - 4)
    wanted = int.from_bytes(key[4:], "big")
    found, longest = None, -1
    for prefix in entries:
        length = int.from_bytes(prefix[:4], "little")
        if longest < length <= bits:
            shift = bits - length
            if int.from_bytes(prefix[4:], "big") >> shift == wanted >> shift:
                found, longest = prefix, length
    return found


def tables_of(found: ObjectCode, listing: ObjectListing, settings: Settings) -> dict[str, Start]:
    """Read what source and plan put into the maps of an object, by their names."""
    rooms = {table.name: table.entries_max for table in listing.maps}
    kept: defaultdict[tuple[str, str], dict[bytes, str]] = defaultdict(dict)
    for one in initial_entries(found):
        kept[one.table, "call" if one.is_program else "nest"][one.index.to_bytes(4, "little")] = (
            one.name
        )
    for line in settings.lines:
        kind, name, *words = line.split(" ")
        if kind == "max":
            rooms[name] = int(words[0])
        elif kind in ("fill", "call", "nest"):
            # A queue's entries have no key: an empty word.
            own = kept[name, kind]
            own[bytes.fromhex(words[0]) or len(own).to_bytes(4, "little")] = words[1]
    return {
        table.name: Start(
            table=table, room=rooms[table.name],
            entries={key: bytes.fromhex(one) for key, one in kept[table.name, "fill"].items()},
            programs={
                int.from_bytes(key, "little"): one
                for key, one in kept[table.name, "call"].items()
            },
            nested=dict(kept[table.name, "nest"]),
        )
        for table in listing.maps
    }  # fmt: skip


def variables_of(
    found: ObjectCode, listing: ObjectListing, settings: Settings
) -> dict[str, Region]:
    """Read the variables of an object by their sections, as they are set."""
    sections = {section.name: section for section in found.sections}
    regions = {
        table.name: _variables(found.data, sections.get(table.name), table)
        for table in listing.maps if table.is_variables
    }  # fmt: skip
    for line in settings.lines:
        kind, name, *words = line.split(" ")
        if kind == "set" and name in regions:
            for at, byte in enumerate(bytes.fromhex(words[1]), int(words[0])):
                regions[name].write(at, 1, byte)
    return regions


def _variables(data: bytes, section: Section | None, table: Map) -> Region:
    if section is None or not table.name.startswith(_KNOWN_VARIABLES):
        return Region.unknown(table.value_bytes)
    if section.kind == _NO_BITS:
        return Region.of(bytes(min(table.value_bytes, REGION_BYTES_MAX)))
    content = data[section.offset : section.offset + section.section_bytes]
    return Region.of(content.ljust(min(table.value_bytes, REGION_BYTES_MAX), b"\0"))
