"""What programs of XDP and AF_XDP can be asked for."""

from __future__ import annotations

from linerate.tables.cell_columns import ACCESS_KINDS

ACCESSING_PROGRAMS = frozenset(ACCESS_KINDS)
"""Programs that make as many memory accesses as the cell has."""
OPERATIONS_MAX: dict[str, int] = {
    "array_lookup": 16384,
    "percpu_array_lookup": 16384,
    "hash_lookup": 16384,
    "lru_hash_lookup": 16384,
    "lpm_lookup": 16384,
    "shared_hash_add": 16384,
    "key_only": 16384,
    "packet_read": 16384,
    "checksum": 16384,
    "packet_write": 16384,
    "header_push_pop": 16384,
    "tail_call": 33,
}
"""Kinds of operation of the program ``operations``, in the order in which a packet gets them,
and the most of each. The kernel chains 33 tail calls; the other bound ends a poll of 64 packets
within seconds when every lookup misses the caches. ``key_only`` draws the keys of lookups and
looks nothing up."""
