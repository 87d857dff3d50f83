"""Which calibrated operation a call of a helper is."""

from __future__ import annotations

from typing import NamedTuple

_LOOKUPS = {"array": "array_lookup", "percpu_array": "percpu_array_lookup", "hash": "hash_lookup",
            "lru_hash": "lru_hash_lookup", "lpm_trie": "lpm_lookup"}  # fmt: skip
"""Operation that a lookup is, by type of table."""
_UPDATES = {"hash": "hash_update", "lru_hash": "lru_hash_update"}
_OPERATIONS = {"csum_diff": ("checksum", 1.0), "xdp_adjust_head": ("header_push_pop", 0.5),
               "tail_call": ("tail_call", 1.0), "ktime_get_ns": ("clock", 1.0),
               "get_prandom_u32": ("random", 1.0), "redirect": ("redirect", 1.0),
               "redirect_map": ("redirect_map", 1.0),
               "xdp_adjust_tail": ("adjust_tail", 1.0)}  # fmt: skip
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
              "for_each_map_elem": ("function_call", 1.0)}  # fmt: skip
"""Call that is nearest to one that is not calibrated."""
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


def calibrated_as(helper: str, map_type: str) -> Operation | None:
    """Find the operation that a call was calibrated as; None where it was not.

    >>> calibrated_as("map_lookup_elem", "hash").name, calibrated_as("fib_lookup", "")
    ('hash_lookup', None)
    """
    if helper == "map_lookup_elem" and map_type in _LOOKUPS:
        return Operation(_LOOKUPS[map_type], 1.0, False)
    if helper == "map_update_elem" and map_type in _UPDATES:
        return Operation(_UPDATES[map_type], 1.0, False)
    if helper in _OPERATIONS:
        return Operation(*_OPERATIONS[helper], False)
    return None


def taken_as(helper: str, map_type: str) -> Operation:
    """Find the operation that a call is taken for, if need be one that stands in."""
    if helper in _FREE:
        return Operation("", 0.0, False)
    found = calibrated_as(helper, map_type)
    if found is not None:
        return found
    if helper in ("map_delete_elem", "map_lookup_percpu_elem", "map_lookup_elem",
                  "map_update_elem"):  # fmt: skip
        like = _LIKE_TABLE.get(map_type, map_type)
        kind = "map_lookup_elem" if "lookup" in helper or like == "array" else "map_update_elem"
        if (near := calibrated_as(kind, like)) is not None:
            return near._replace(stands_in=True)
    if helper in _LIKE_CALL:
        return Operation(*_LIKE_CALL[helper], True)
    return Operation(_LIKE_ANY, 1.0, True)
