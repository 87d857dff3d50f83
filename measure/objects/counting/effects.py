"""What the kernel's helpers do to a path: what they return, and what they change.

A helper succeeds where that is not known otherwise: a route is found, a buffer has room. What the
clock, chance and other unknown helpers return is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from linerate.measure.objects.counting.arithmetic import signed
from linerate.measure.objects.counting.memory import Pointer, Region, Table, Value
from linerate.measure.objects.counting.path import PACKET, PACKET_ROOM_BYTES, Path
from linerate.measure.objects.counting.tables import Start

ABSENT, INVALID = (-2) & (1 << 64) - 1, (-22) & (1 << 64) - 1
"""-ENOENT and -EINVAL."""
REDIRECT = 4
_BUFFER_BYTES_MAX = 1 << 16
_ETHERNET_BYTES = 14


@dataclass(slots=True, kw_only=True)
class World:
    """What helpers reach besides the path's own memory."""

    tables: Mapping[str, Start]
    notes: dict[str, None] = field(default_factory=dict)
    """What was assumed, in the order in which it came up."""
    keys: dict[str, set[bytes | None]] = field(default_factory=dict)
    """By which each map was looked up; None where that was not known."""

    def assume(self, words: str) -> None:
        """Keep an assumption, once."""
        self.notes.setdefault(words)


Effect = Callable[[World, Path, list[Value]], Value]


def table_name(value: Value) -> str:
    """Name the map that an argument is; empty where it is none."""
    return value.name if isinstance(value, Table) else ""


def _lookup(world: World, path: Path, arguments: list[Value]) -> Value:
    start = world.tables.get(table_name(arguments[0]))
    if start is None:
        world.assume("a map that the code does not name is looked up: taken as found")
        return _region(path, "map", Region.unknown(0))
    key = path.bytes_at(arguments[1], start.table.key_bytes)
    name = start.table.name
    world.keys.setdefault(name, set()).add(key)
    if key is None:
        return _of_unknown_key(world, path, start)
    if start.is_array:
        if int.from_bytes(key, "little") >= start.room:
            return 0
        found: bytes | None = key
    elif (name, key) in path.entries:
        found = key if path.entries[name, key] else None
    else:
        found = start.match(key)
    if start.nested or start.table.type in ("array_of_maps", "hash_of_maps"):
        inner = start.nested.get(key)
        return Table(inner) if inner else 0
    return 0 if found is None else _entry(path, start, found)


def _of_unknown_key(world: World, path: Path, start: Start) -> Value:
    name = start.table.name
    put = any(own == name and here for (own, _), here in path.entries.items())
    if not start.is_array and not start.entries and not put:
        return 0
    world.assume(f"{name} is looked up by a key that is not known: taken as found")
    if start.nested:
        return Table(next(iter(start.nested.values())))
    return _region(path, f"{name}[?]", Region.unknown(start.table.value_bytes))


def _entry(path: Path, start: Start, key: bytes) -> Pointer:
    name = f"{start.table.name}[{key.hex()}]"
    content = start.entries.get(key, b"").ljust(start.table.value_bytes, b"\0")
    return _region(path, name, Region.of(content))


def _region(path: Path, name: str, fresh: Region) -> Pointer:
    path.regions.setdefault(name, fresh)
    return Pointer(name, 0)


def _update(world: World, path: Path, arguments: list[Value]) -> Value:
    start = world.tables.get(table_name(arguments[0]))
    if start is None:
        return 0
    key = path.bytes_at(arguments[1], start.table.key_bytes)
    if key is None:
        world.assume(f"{start.table.name} is written at a key that is not known: left as it was")
        return 0
    content = Region.unknown(start.table.value_bytes)
    for at in range(start.table.value_bytes):
        content.write(at, 1, path.read(_moved(arguments[2], at), 1))
    path.regions[f"{start.table.name}[{key.hex()}]"] = content
    path.entries[start.table.name, key] = True
    return 0


def _delete(world: World, path: Path, arguments: list[Value]) -> Value:
    if _lookup(world, path, arguments) == 0:
        return ABSENT
    start = world.tables.get(table_name(arguments[0]))
    key = path.bytes_at(arguments[1], start.table.key_bytes) if start else None
    if start is not None and key is not None and not start.is_array:
        path.entries[start.table.name, key] = False
        path.regions.pop(f"{start.table.name}[{key.hex()}]", None)
    return 0


def _moved(value: Value, by: int) -> Value:
    if not isinstance(value, Pointer) or value.offset is None:
        return None
    return Pointer(value.region, value.offset + by)


def _peek(world: World, path: Path, arguments: list[Value]) -> Value:
    """Look into a bloom filter, a queue or a stack."""
    start = world.tables.get(table_name(arguments[0]))
    if start is None:
        return 0
    if start.table.type == "bloom_filter":
        value = path.bytes_at(arguments[1], start.table.value_bytes)
        if value is not None:
            return 0 if value in start.entries.values() else ABSENT
    if not start.entries:
        return ABSENT
    world.assume(f"{start.table.name} holds something: taken as found")
    _forget(path, arguments[1], start.table.value_bytes)
    return 0


def _forget(path: Path, where: Value, size: int) -> None:
    for at in range(min(size, _BUFFER_BYTES_MAX)):
        path.write(_moved(where, at), 1, None)


def _adjust_head(world: World, path: Path, arguments: list[Value]) -> Value:
    by = _step(world, arguments[1])
    to = path.start + by
    if not 0 <= to <= path.end - _ETHERNET_BYTES:
        return INVALID
    path.start = path.meta = to
    return 0


def _adjust_tail(world: World, path: Path, arguments: list[Value]) -> Value:
    by = _step(world, arguments[1])
    to = path.end + by
    if not path.start + _ETHERNET_BYTES <= to <= PACKET_ROOM_BYTES:
        return INVALID
    for at in range(path.end, to):
        path.regions[PACKET].write(at, 1, 0)
    path.end = to
    return 0


def _adjust_meta(world: World, path: Path, arguments: list[Value]) -> Value:
    to = path.meta + _step(world, arguments[1])
    if not 0 <= to <= path.start:
        return INVALID
    path.meta = to
    return 0


def _step(world: World, value: Value) -> int:
    if isinstance(value, int):
        return signed(value, 32)
    world.assume("a packet is made longer or shorter by what is not known: taken as by nothing")
    return 0


def _redirect_map(world: World, path: Path, arguments: list[Value]) -> Value:
    """Find the slot; an empty one returns the lower bits of the flags."""
    start, index, flags = world.tables.get(table_name(arguments[0])), arguments[1], arguments[2]
    if start is not None and start.table.type == "xskmap":
        world.assume(f"{start.table.name} holds a socket: taken as redirected")
        return REDIRECT
    if start is None or not isinstance(index, int):
        return REDIRECT
    if (index & 0xFFFFFFFF).to_bytes(4, "little") in start.entries:
        return REDIRECT
    return flags & 3 if isinstance(flags, int) else None


def _load_bytes(world: World, path: Path, arguments: list[Value]) -> Value:
    _, offset, buffer, size = arguments[:4]
    if not isinstance(size, int) or size > _BUFFER_BYTES_MAX:
        return 0
    if isinstance(offset, int) and offset + size > path.end - path.start:
        return INVALID
    for at in range(size):
        here = path.start + offset + at if isinstance(offset, int) else None
        path.write(_moved(buffer, at), 1, path.read(Pointer(PACKET, here), 1))
    return 0


def _store_bytes(world: World, path: Path, arguments: list[Value]) -> Value:
    _, offset, buffer, size = arguments[:4]
    if not isinstance(size, int) or size > _BUFFER_BYTES_MAX:
        return 0
    if isinstance(offset, int) and offset + size > path.end - path.start:
        return INVALID
    for at in range(size):
        here = path.start + offset + at if isinstance(offset, int) else None
        path.write(Pointer(PACKET, here), 1, path.read(_moved(buffer, at), 1))
    return 0


def _checksum_difference(world: World, path: Path, arguments: list[Value]) -> Value:
    """Sum words one by one: those taken out are complemented."""
    total = arguments[4]
    if not isinstance(total, int):
        return None
    for where, size, is_old in ((*arguments[0:2], True), (*arguments[2:4], False)):
        if size == 0:
            continue
        content = path.bytes_at(where, size) if isinstance(size, int) and size <= STACK else None
        if content is None:
            return None
        for at in range(0, len(content), 4):
            word = int.from_bytes(content[at : at + 4], "little")
            total += (~word & 0xFFFFFFFF) if is_old else word
    while total >> 32:
        total = (total & 0xFFFFFFFF) + (total >> 32)
    return total


STACK = 512
"""Bytes that a checksum is summed of at most."""


def _reserve(world: World, path: Path, arguments: list[Value]) -> Value:
    size = arguments[1]
    known = isinstance(size, int) and size <= _BUFFER_BYTES_MAX
    fresh = Region.unknown(size if known and isinstance(size, int) else 0)
    path.regions["reserved"] = fresh
    return Pointer("reserved", 0)


def _route(world: World, path: Path, arguments: list[Value]) -> Value:
    world.assume("fib_lookup finds a route")
    if isinstance(arguments[2], int):
        _forget(path, arguments[1], arguments[2])
    return 0


def _length(world: World, path: Path, arguments: list[Value]) -> Value:
    return path.end - path.start


def _unknown(world: World, path: Path, arguments: list[Value]) -> Value:
    return None


def _zero(world: World, path: Path, arguments: list[Value]) -> Value:
    return 0


def _to_interface(world: World, path: Path, arguments: list[Value]) -> Value:
    return REDIRECT


EFFECTS: dict[str, Effect] = {
    "map_lookup_elem": _lookup, "map_lookup_percpu_elem": _lookup,
    "map_update_elem": _update, "map_delete_elem": _delete,
    "map_peek_elem": _peek, "map_pop_elem": _peek, "map_push_elem": _zero,
    "xdp_adjust_head": _adjust_head, "xdp_adjust_tail": _adjust_tail,
    "xdp_adjust_meta": _adjust_meta, "xdp_get_buff_len": _length,
    "xdp_load_bytes": _load_bytes, "xdp_store_bytes": _store_bytes,
    "redirect": _to_interface, "redirect_map": _redirect_map, "fib_lookup": _route,
    "csum_diff": _checksum_difference,
    "ringbuf_reserve": _reserve, "ringbuf_submit": _zero, "ringbuf_discard": _zero,
    "ringbuf_output": _zero, "perf_event_output": _zero, "xdp_output": _zero,
    "trace_printk": _zero, "spin_lock": _zero, "spin_unlock": _zero, "check_mtu": _zero,
    "timer_init": _zero, "timer_start": _zero, "timer_cancel": _zero,
    "sk_lookup_tcp": _zero, "sk_lookup_udp": _zero, "sk_release": _zero, "kptr_xchg": _zero,
    "get_smp_processor_id": _zero, "get_numa_node_id": _zero,
    "ktime_get_ns": _unknown, "ktime_get_boot_ns": _unknown, "ktime_get_coarse_ns": _unknown,
    "ktime_get_tai_ns": _unknown, "jiffies64": _unknown, "get_prandom_u32": _unknown,
    "strncmp": _unknown,
}  # fmt: skip
"""By the helper's name; what is not here is called, and nothing is known of what it returns."""
