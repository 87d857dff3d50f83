"""Which interfaces the machine's own traffic leaves by.

References
----------
linux/rtnetlink.h; RFC 3549, section 3.1.
"""

from __future__ import annotations

import errno
import socket
import struct
from ipaddress import IPv4Address, IPv6Address

from linerate.measure.tuning.kernel.netlink import (
    ACK,
    DUMP,
    ROUTE,
    Netlink,
    attribute,
    attributes,
    number,
)

_GET = 26
_ROUTE = struct.Struct("=BBBBBBBBI")
_DESTINATION, _DEVICE, _MULTIPATH = 1, 4, 9
_HOP = struct.Struct("=HBBi")
_UNICAST = 1
HALF_PREFIX = 1
"""A tunnel takes all traffic by 0.0.0.0/1 and 128.0.0.0/1, which are a default route too."""


def default_route_devices() -> frozenset[int]:
    """Numbers of the interfaces of every default route, of all tables, IPv4 and IPv6."""
    found: set[int] = set()
    with Netlink.open(ROUTE) as kernel:
        for family in (socket.AF_INET, socket.AF_INET6):
            for body in kernel.ask(_GET, _ROUTE.pack(family, 0, 0, 0, 0, 0, 0, 0, 0), DUMP):
                _, prefix, _, _, _, _, _, kind, _ = _ROUTE.unpack_from(body)
                if prefix <= HALF_PREFIX and kind == _UNICAST:
                    found |= _devices(body)
    return frozenset(found)


def device_towards(address: IPv4Address | IPv6Address) -> int | None:
    """Find the interface that packets to an address leave by, its number; None without a route.

    Raises
    ------
    OSError
        The kernel refused for another reason.
    """
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    head = _ROUTE.pack(family, address.max_prefixlen, 0, 0, 0, 0, 0, 0, 0)
    with Netlink.open(ROUTE) as kernel:
        try:
            body = kernel.ask(_GET, head + attribute(_DESTINATION, address.packed), ACK)[0]
        except OSError as error:
            if error.errno in (errno.ENETUNREACH, errno.EHOSTUNREACH):
                return None
            raise
    return next(iter(_devices(body)), None)


def _devices(body: bytes) -> set[int]:
    has = dict(attributes(body[_ROUTE.size :]))
    found = {number(has[_DEVICE])} if _DEVICE in has else set()
    hops, start = has.get(_MULTIPATH, b""), 0
    while start + _HOP.size <= len(hops):
        size, _, _, index = _HOP.unpack_from(hops, start)
        found.add(index)
        start += max(size + -size % 4, _HOP.size)
    return found
