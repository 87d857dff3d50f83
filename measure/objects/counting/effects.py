"""What the kernel's helpers do to a path: what they return, and what they change.

A helper succeeds where that is not known otherwise: a route is found, a buffer has room. What the
clock, chance and other unknown helpers return is not known.
"""

from __future__ import annotations

from collections.abc import Callable

from linerate.measure.objects.counting.memory import (
    REGION_BYTES_MAX,
    Drawn,
    Pointer,
    Region,
    Table,
    Value,
    moved,
)
from linerate.measure.objects.counting.packet_effects import (
    adjust_head,
    adjust_meta,
    adjust_tail,
    checksum_difference,
    length,
    load_bytes,
    store_bytes,
)
from linerate.measure.objects.counting.path import PRIVATE, Path
from linerate.measure.objects.counting.skb_effects import (
    adjust_room,
    change_head,
    change_tail,
    load_relative,
    no_tunnel,
    replace_sum,
    vlan_pop,
    vlan_push,
)
from linerate.measure.objects.counting.tables import Start
from linerate.measure.objects.counting.world import World

ABSENT = (-2) & (1 << 64) - 1
"""-ENOENT."""
_RESERVED = f"{PRIVATE}reserved"


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
    size = min(start.table.value_bytes, REGION_BYTES_MAX)
    content = start.entries.get(key, b"").ljust(size, b"\0")
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
    for at in range(len(content.data)):
        content.write(at, 1, path.read(moved(arguments[2], at), 1))
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
    for at in range(min(size, REGION_BYTES_MAX)):
        path.write(moved(where, at), 1, None)


def _redirect_map(world: World, path: Path, arguments: list[Value]) -> Value:
    """Find the slot; an empty one returns the lower bits of the flags, as of any table of sockets.

    Nobody has opened a socket where a program is counted or test-run.
    """
    start, index, flags = world.tables.get(table_name(arguments[0])), arguments[1], arguments[2]
    if start is None or (start.entries and not isinstance(index, int)):
        return world.hook.redirect
    if isinstance(index, int) and (index & 0xFFFFFFFF).to_bytes(4, "little") in start.entries:
        return world.hook.redirect
    return flags & 3 if isinstance(flags, int) else None


def _reserve(world: World, path: Path, arguments: list[Value]) -> Value:
    size = arguments[1]
    known = isinstance(size, int) and size <= REGION_BYTES_MAX
    fresh = Region.unknown(size if known and isinstance(size, int) else 0)
    path.regions[_RESERVED] = fresh
    return Pointer(_RESERVED, 0)


def _route(world: World, path: Path, arguments: list[Value]) -> Value:
    world.assume("fib_lookup finds a route")
    if isinstance(arguments[2], int):
        _forget(path, arguments[1], arguments[2])
    return 0


def _unknown(world: World, path: Path, arguments: list[Value]) -> Value:
    return None


def _draw(world: World, path: Path, arguments: list[Value]) -> Value:
    return Drawn(1 << 32)


def _zero(world: World, path: Path, arguments: list[Value]) -> Value:
    return 0


def _no_socket(world: World, path: Path, arguments: list[Value]) -> Value:
    world.assume("a socket that is looked up is not found")
    return 0


def _to_interface(world: World, path: Path, arguments: list[Value]) -> Value:
    return world.hook.redirect


EFFECTS: dict[str, Effect] = {
    "map_lookup_elem": _lookup, "map_lookup_percpu_elem": _lookup,
    "map_update_elem": _update, "map_delete_elem": _delete,
    "map_peek_elem": _peek, "map_pop_elem": _peek, "map_push_elem": _zero,
    "xdp_adjust_head": adjust_head, "xdp_adjust_tail": adjust_tail,
    "xdp_adjust_meta": adjust_meta, "xdp_get_buff_len": length,
    "xdp_load_bytes": load_bytes, "xdp_store_bytes": store_bytes,
    "redirect": _to_interface, "redirect_map": _redirect_map, "fib_lookup": _route,
    "csum_diff": checksum_difference,
    "ringbuf_reserve": _reserve, "ringbuf_submit": _zero, "ringbuf_discard": _zero,
    "ringbuf_output": _zero, "perf_event_output": _zero, "xdp_output": _zero,
    "trace_printk": _zero, "spin_lock": _zero, "spin_unlock": _zero, "check_mtu": _zero,
    "timer_init": _zero, "timer_start": _zero, "timer_cancel": _zero,
    "sk_lookup_tcp": _no_socket, "sk_lookup_udp": _no_socket, "sk_release": _zero,
    "skc_lookup_tcp": _no_socket, "kptr_xchg": _zero,
    "skb_load_bytes": load_bytes, "skb_store_bytes": store_bytes,
    "skb_load_bytes_relative": load_relative, "skb_pull_data": _zero,
    "skb_change_tail": change_tail, "skb_change_head": change_head,
    "skb_adjust_room": adjust_room, "skb_vlan_push": vlan_push, "skb_vlan_pop": vlan_pop,
    "l3_csum_replace": replace_sum, "l4_csum_replace": replace_sum,
    "skb_get_tunnel_key": no_tunnel, "skb_set_tunnel_key": _zero, "skb_change_type": _zero,
    "clone_redirect": _zero, "redirect_neigh": _to_interface, "redirect_peer": _to_interface,
    "set_hash": _zero, "set_hash_invalid": _zero, "csum_level": _zero, "skb_output": _zero,
    "get_cgroup_classid": _zero, "get_route_realm": _zero, "sk_assign": _zero,
    "get_smp_processor_id": _zero, "get_numa_node_id": _zero,
    "ktime_get_ns": _unknown, "ktime_get_boot_ns": _unknown, "ktime_get_coarse_ns": _unknown,
    "ktime_get_tai_ns": _unknown, "jiffies64": _unknown, "get_prandom_u32": _draw,
    "strncmp": _unknown,
}  # fmt: skip
"""By the helper's name; what is not here is called, and nothing is known of what it returns."""
