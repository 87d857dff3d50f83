"""What is done to an object besides loading it: a maps file, checked against the object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from linerate.errors import bad_input
from linerate.measure.objects.listing import Map, ObjectListing
from linerate.measure.objects.maps.entries import entry_lines
from linerate.measure.objects.maps.environment import Environment
from linerate.measure.objects.maps.map_types import (
    check_maps_bytes,
    check_rooms,
    map_bytes,
    needs_room,
    type_of,
)
from linerate.measure.objects.maps.maps_file import ENTRIES_MAX, MapsFile, MapTable, read_maps_file
from linerate.measure.objects.maps.values import refused, shown
from linerate.measure.objects.maps.variables import variable_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Lines of a runner's plan, and what they amount to."""

    lines: tuple[str, ...]
    filled: tuple[tuple[str, int], ...]
    """Pairs (map, entries that are put into it)."""
    maps_bytes: int
    """Memory of all maps, from above."""
    environment: Environment | None = None
    """What is set up beside the program; None where that has nothing to look into."""


def read_settings(
    listing: ObjectListing, path: Path | None = None, assigned: Sequence[str] = ()
) -> Settings:
    """Read a maps file and assignments ``name=value``, and check them against an object.

    Raises
    ------
    BadInputError
        A name that the object has not, a value that does not fit, too many entries, or maps that
        take too much memory.
    """
    return settings_of(listing, read_maps_file(path, assigned))


def settings_of(listing: ObjectListing, file: MapsFile) -> Settings:
    """Check what is to be set and filled against an object."""
    lines = [line for one in file.assignments for line in variable_lines(listing, one)]
    rooms = {table.name: table.entries_max for table in listing.maps}
    filled: dict[str, int] = {}
    for wish in file.tables:
        table = _map_of(listing, wish)
        if wish.max_entries is not None:
            rooms[table.name] = wish.max_entries
            lines.append(f"max {table.name} {wish.max_entries}")
        entries = list(entry_lines(listing, table, wish, rooms[table.name]))
        filled[table.name] = len(entries)
        if sum(filled.values()) > ENTRIES_MAX:
            raise refused(wish.where, sum(filled.values()), "all maps get too many entries",
                          f"up to {ENTRIES_MAX}")  # fmt: skip
        lines += entries
    check_rooms({table.name: rooms[table.name] for table in listing.maps if needs_room(table)})
    sizes = {table.name: map_bytes(table, rooms[table.name], filled.get(table.name, 0))
             for table in listing.maps}  # fmt: skip
    check_maps_bytes(sizes)
    return Settings(
        lines=tuple(lines), filled=tuple(filled.items()), maps_bytes=sum(sizes.values()),
        environment=file.environment,
    )  # fmt: skip


def empty_maps(listing: ObjectListing, settings: Settings) -> tuple[str, ...]:
    """Name the maps in which nothing is found: unfilled ones mostly make a path short."""
    filled = {name for name, entries in settings.filled if entries}
    return tuple(
        table.name
        for table in listing.maps
        if table.name not in filled and type_of(table).starts_empty
        and not (listing.has_initial_entries and type_of(table).holds in ("programs", "maps"))
    )  # fmt: skip


def _map_of(listing: ObjectListing, wish: MapTable) -> Map:
    table = listing.map_named(wish.name)
    if table is None or table.is_variables:
        names = ", ".join(one.name for one in listing.maps if not one.is_variables)
        raise bad_input(
            shown(wish.where), shown(wish.name), why="the object has no such map",
            allowed=names or "none", do="correct the name; variables are set in [set]",
        )  # fmt: skip
    return table
