"""Types of map: what their entries are, and how much memory they take."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal

from linerate.errors import bad_input
from linerate.measure.objects.listing import Map

Holds = Literal["values", "programs", "maps", "devices", "nothing"]
MAPS_BYTES_MAX = 1 << 30
"""Of all maps of an object."""
_NO_PREALLOCATION = 1
"""BPF_F_NO_PREALLOC of <linux/bpf.h>."""
_ENTRY_OVERHEAD_BYTES = 64
"""Header of an entry in a hash table or a trie, and its share of buckets and nodes."""
_ROUNDED_BYTES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class MapType:
    """How entries come into maps of a type."""

    holds: Holds
    is_array: bool = False
    """Whether keys are indices below the number of entries."""
    is_per_cpu: bool = False
    starts_empty: bool = True
    """Whether nothing is found in it until it is filled."""
    why_not: str = ""
    """Why nothing can be put into it."""


_RUNNING = "its entries are descriptors of what runs"
_BY_PROGRAM = "programs write to it, and user space only reads"
MAP_TYPES = {
    "hash": MapType(holds="values"),
    "percpu_hash": MapType(holds="values", is_per_cpu=True),
    "lru_hash": MapType(holds="values"),
    "lru_percpu_hash": MapType(holds="values", is_per_cpu=True),
    "lpm_trie": MapType(holds="values"),
    "array": MapType(holds="values", is_array=True, starts_empty=False),
    "percpu_array": MapType(holds="values", is_array=True, is_per_cpu=True, starts_empty=False),
    "queue": MapType(holds="values"),
    "stack": MapType(holds="values"),
    "bloom_filter": MapType(holds="values"),
    "prog_array": MapType(holds="programs", is_array=True),
    "array_of_maps": MapType(holds="maps", is_array=True),
    "hash_of_maps": MapType(holds="maps"),
    "devmap": MapType(holds="devices", is_array=True),
    "devmap_hash": MapType(holds="devices"),
    "cpumap": MapType(holds="devices", is_array=True),
    "xskmap": MapType(
        holds="nothing", is_array=True, why_not="its entries are AF_XDP sockets; leave it empty, "
        "and what is redirected there is dropped",
    ),
    "sockmap": MapType(holds="nothing", is_array=True, why_not=_RUNNING),
    "sockhash": MapType(holds="nothing", why_not=_RUNNING),
    "perf_event_array": MapType(holds="nothing", starts_empty=False, why_not=_BY_PROGRAM),
    "ringbuf": MapType(holds="nothing", starts_empty=False, why_not=_BY_PROGRAM),
}  # fmt: skip
OTHER = MapType(holds="nothing", starts_empty=False, why_not="maps of its type are not filled")


def type_of(table: Map) -> MapType:
    """Say how entries come into a map."""
    return MAP_TYPES.get(table.type, OTHER)


def map_bytes(table: Map, entries_max: int, entries: int) -> int:
    """Estimate the memory that a map takes, from above.

    Parameters
    ----------
    table
        The map.
    entries_max
        Room that it is made with.
    entries
        Entries that are put into it: without preallocation these alone take memory.
    """
    kind = type_of(table)
    if table.type == "ringbuf":
        return entries_max
    value_bytes = _rounded(table.value_bytes) * ((os.cpu_count() or 1) if kind.is_per_cpu else 1)
    if kind.is_array or table.type in ("queue", "stack", "bloom_filter"):
        return entries_max * value_bytes
    room = entries if table.flags & _NO_PREALLOCATION else entries_max
    return room * (_rounded(table.key_bytes) + value_bytes + _ENTRY_OVERHEAD_BYTES)


def needs_room(table: Map) -> bool:
    """Whether a map cannot be made without room: libbpf gives one to tables of perf events."""
    return table.type in MAP_TYPES and table.type != "perf_event_array"


def check_rooms(rooms: dict[str, int]) -> None:
    """Refuse maps whose size the program's own loader sets, where nobody did."""
    for name, room in rooms.items():
        if not room:
            raise bad_input(
                "map", name, why="it has room for 0 entries: what loads this program sets that",
                allowed="1 or more", do=f"set it: [maps.{name}] max_entries = ... in the maps file",
            )  # fmt: skip


def check_maps_bytes(sizes: dict[str, int]) -> None:
    """Refuse maps that together take too much memory; the largest is named."""
    total = sum(sizes.values())
    if total <= MAPS_BYTES_MAX:
        return
    name = max(sizes, key=lambda each: sizes[each])
    raise bad_input(
        "map", name, why=f"it would take {sizes[name] / 2**30:.1f} GiB, all maps "
        f"{total / 2**30:.1f}", allowed=f"{MAPS_BYTES_MAX >> 30} GiB in all",
        do=f"lower it: [maps.{name}] max_entries = ... in the maps file",
    )  # fmt: skip


def _rounded(size: int) -> int:
    return -(-size // _ROUNDED_BYTES) * _ROUNDED_BYTES
