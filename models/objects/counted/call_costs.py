"""Which calibrated operation a call of a helper is."""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

_LOOKUPS = {"array": "array_lookup", "percpu_array": "percpu_array_lookup", "hash": "hash_lookup",
            "lru_hash": "lru_hash_lookup", "lpm_trie": "lpm_lookup",
            "percpu_hash": "percpu_hash_lookup"}  # fmt: skip
"""Operation that a lookup is, by type of table."""
_UPDATES = {"hash": "hash_update", "lru_hash": "lru_hash_update"}
_BY_NAME = ("tail_call", "redirect", "redirect_map", "fib_lookup", "perf_event_output",
            "ringbuf_output", "xdp_load_bytes", "xdp_store_bytes", "skb_load_bytes",
            "skb_store_bytes", "skb_pull_data", "l3_csum_replace", "l4_csum_replace")  # fmt: skip
"""Calls that are an operation of the same name."""
_OPERATIONS = {name: (name, 1.0) for name in _BY_NAME} | {
    "csum_diff": ("checksum", 1.0), "xdp_adjust_head": ("header_push_pop", 0.5),
    "ktime_get_ns": ("clock", 1.0), "get_prandom_u32": ("random", 1.0),
    "xdp_adjust_tail": ("adjust_tail", 1.0),
    "spin_lock": ("spin_lock", 0.5), "spin_unlock": ("spin_lock", 0.5),
    "skb_vlan_push": ("skb_vlan", 0.5), "skb_vlan_pop": ("skb_vlan", 0.5),
    "skb_adjust_room": ("skb_adjust_room", 0.5),
}  # fmt: skip
"""Operation that a call is, and how much of it: a header that comes and goes is moved twice."""
AGAIN = "_again"
"""Ends the name of a lookup that always has the same key."""
_LIKE_TABLE = {"percpu_hash": "hash", "lru_percpu_hash": "lru_hash", "hash_of_maps": "hash",
               "devmap_hash": "hash", "array_of_maps": "array", "prog_array": "array"}  # fmt: skip
"""Table whose lookups and updates are nearest."""
_LIKE_CALL = {"xdp_adjust_meta": ("header_push_pop", 0.5),
              "ktime_get_boot_ns": ("clock", 1.0), "ktime_get_tai_ns": ("clock", 1.0),
              "ktime_get_coarse_ns": ("random", 1.0), "jiffies64": ("random", 1.0),
              "xdp_load_bytes": ("redirect_map", 1.0), "xdp_store_bytes": ("redirect_map", 1.0),
              "spin_lock": ("atomic", 1.0), "spin_unlock": ("atomic", 1.0),
              "for_each_map_elem": ("function_call", 1.0),
              "xdp_output": ("perf_event_output", 1.0), "skb_output": ("perf_event_output", 1.0),
              "ringbuf_reserve": ("ringbuf_output", 1.0), "ringbuf_submit": ("redirect", 1.0),
              "ringbuf_discard": ("redirect", 1.0), "redirect_neigh": ("redirect", 1.0),
              "redirect_peer": ("redirect", 1.0), "skb_change_head": ("skb_adjust_room", 0.5),
              "skb_change_tail": ("skb_adjust_room", 0.5),
              "skb_load_bytes_relative": ("skb_load_bytes", 1.0)}  # fmt: skip
"""Call that is nearest to one that is not calibrated, or that a box does not know."""
_LIKE_ANY = "hash_lookup"
"""What a call is taken for that is like none of these: half of the calibrated calls cost less."""
_FREE = ("loop", "get_smp_processor_id", "get_numa_node_id", "xdp_get_buff_len")
"""Calls that the kernel replaces by some instructions; the turns of a loop are counted apart."""


class Operation(NamedTuple):
    """What a call is taken for."""

    name: str
    """Of the operation; empty where it costs no more than instructions do."""
    times: float
    stands_in: bool
    """Whether the call itself was not calibrated."""


_HASHES = ("hash", "lru_hash", "percpu_hash", "lru_percpu_hash")
"""Tables in which the kernel looks a key up by the same code, until it finds it."""
MISSES = "hash_miss"
_MISS = Operation(MISSES, 1.0, False)


def calibrated_as(helper: str, map_type: str) -> Operation | None:
    """Find the operation that a call was calibrated as; None where it was not.

    >>> calibrated_as("map_lookup_elem", "hash").name, calibrated_as("sk_lookup_tcp", "")
    ('hash_lookup', None)
    """
    if helper == "map_lookup_elem" and map_type in _LOOKUPS:
        return Operation(_LOOKUPS[map_type], 1.0, False)
    if helper == "map_update_elem" and map_type in _UPDATES:
        return Operation(_UPDATES[map_type], 1.0, False)
    if helper in _OPERATIONS:
        return Operation(*_OPERATIONS[helper], False)
    return None


def missed_as(helper: str, map_type: str) -> Operation | None:
    """Find the operation that a call is which finds nothing; None where that was not calibrated."""
    return _MISS if helper == "map_lookup_elem" and map_type in _HASHES else None


def taken_as(helper: str, map_type: str, known: Container[str]) -> Operation:
    """Find the operation that a call is taken for, if need be one that stands in.

    Parameters
    ----------
    helper, map_type
        The call; the type is empty where it takes no map.
    known
        Operations that the box knows.
    """
    if helper in _FREE:
        return Operation("", 0.0, False)
    found = calibrated_as(helper, map_type)
    if found is not None and found.name in known:
        return found
    for near in (_of_table_like(helper, map_type), _LIKE_CALL.get(helper)):
        if near is not None and near[0] in known:
            return Operation(near[0], near[1], True)
    return Operation(_LIKE_ANY, 1.0, True)


def _of_table_like(helper: str, map_type: str) -> Operation | None:
    """Find the same call on a table that is near."""
    if helper not in ("map_delete_elem", "map_lookup_percpu_elem", "map_lookup_elem",
                      "map_update_elem"):  # fmt: skip
        return None
    like = _LIKE_TABLE.get(map_type, map_type)
    kind = "map_lookup_elem" if "lookup" in helper or like == "array" else "map_update_elem"
    return calibrated_as(kind, like)
