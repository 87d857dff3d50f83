"""Queueing disciplines that somebody put on interfaces."""

from __future__ import annotations

import struct

from linerate.measure.tuning.kernel.netlink import DUMP, ROUTE, Netlink, attributes, text

_GET, _TC, _KIND = 38, struct.Struct("=BxxxiIII"), 1


def foreign_qdiscs() -> dict[int, tuple[str, ...]]:
    """Queueing disciplines that somebody added, by the number of the interface.

    The kernel's own have no handle of their own (0:); whatever tc adds has one.
    """
    found: dict[int, tuple[str, ...]] = {}
    with Netlink.open(ROUTE) as kernel:
        for body in kernel.ask(_GET, _TC.pack(0, 0, 0, 0, 0), DUMP):
            _, index, handle, _, _ = _TC.unpack_from(body)
            if handle:
                kind = text(dict(attributes(body[_TC.size :]))[_KIND])
                found[index] = (*found.get(index, ()), kind)
    return found
