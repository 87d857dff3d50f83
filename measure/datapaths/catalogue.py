"""What can be asked for: the programs of each datapath, and what each program can be told."""

from __future__ import annotations

from linerate.tables.cell_columns import ACCESS_KINDS

FILTERS = (
    "drop_all",
    "drop_tcp_subnet",
    "drop_udp_subnet",
    "drop_tcp_subnet_flags",
    "drop_tcp_subnet_payload",
)
"""Programs of Sampaio (2017)."""
PROGRAMS: dict[str, tuple[str, ...]] = {
    "xdp_native": ("map_lookup", "xdp_tx", "xdp_drop", "operations", *FILTERS),
    "xdp_generic": ("map_lookup", "xdp_tx", "operations", *FILTERS),
    "af_xdp": ("xsk_memcpy",),
    "tc": FILTERS,
    "netfilter": FILTERS,
    "nftables": FILTERS,
    "iptables": FILTERS,
    "chain": ("wire",),
    "swx": ("forward", "l2l3"),
}
"""Programs by datapath; ``swx`` is of the DPDK lab, the others of the veth lab. ``xdp_drop`` is not
on the generic hook, where no driver counts what is dropped; a filter counts for itself."""
ACCESSING_PROGRAMS = frozenset(ACCESS_KINDS)
"""Programs that make as many memory accesses as they are told."""
OPERATIONS_MAX: dict[str, int] = {
    "array_lookup": 16384,
    "percpu_array_lookup": 16384,
    "hash_lookup": 16384,
    "lru_hash_lookup": 16384,
    "lpm_lookup": 16384,
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
HOOKED_DATAPATHS = frozenset({"netfilter", "nftables", "iptables"})
"""Datapaths whose filters sit on a netfilter hook."""
