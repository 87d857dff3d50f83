"""How far a search among masks or prefixes has to go in a key.

DPDK's library acl takes the first byte of a key, then four bytes a step. Steps that no entry of the
table has a mask for are left out when it is built, whatever the key's size; each of the others
takes the same time (``benchmarks/own/searches.py``).
"""

from __future__ import annotations

from linerate.measure.datapaths.swx.spec.following.filled import Filled
from linerate.measure.datapaths.swx.spec.spec import Spec

STEP_BYTES = 4


def steps_of(spec: Spec, table: str, entries: Filled) -> int:
    """Count the steps behind the first byte that a search which finds something takes.

    Parameters
    ----------
    spec, table
        The table.
    entries
        Of it.
    """
    fields = [(field, spec.offset_bits(field) or 0) for field, _ in spec.tables[table].key]
    first = min(offset for _, offset in fields) // 8
    looked_at: set[int] = set()
    for (field, offset), mask in zip(fields, entries.masks, strict=True):
        size = -(-(spec.bits(field) or 0) // 8)
        # Headers are in network byte order, metadata is as a little-endian machine writes it.
        octets = mask.to_bytes(size, "big" if field.startswith("h.") else "little")
        looked_at |= {offset // 8 - first + place for place, octet in enumerate(octets) if octet}
    return len({(place - 1) // STEP_BYTES for place in looked_at if place})
