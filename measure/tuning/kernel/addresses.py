"""IPv4 addresses of an interface, by its number.

References
----------
linux/if_addr.h; RFC 2544, appendix C.2.2: 198.18.0.0/15 is for benchmarks and nothing else.
"""

from __future__ import annotations

import struct
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from linerate.measure.tuning.kernel.netlink import ACK, DUMP, ROUTE, Netlink, attribute, attributes

TEST_NETWORK = IPv4Network("198.18.0.0/15")
_NEW, _DELETE, _GET = 20, 21, 22
_CREATE_NEW = 0x600
_INFO = struct.Struct("=BBBBI")
_INET = 2
_ADDRESS, _LOCAL = 1, 2


def benchmark_addresses(index: int) -> tuple[IPv4Interface, ...]:
    """List those addresses of an interface that are for benchmarks, in order."""
    with Netlink.open(ROUTE) as kernel:
        found = kernel.ask(_GET, _INFO.pack(_INET, 0, 0, 0, 0), DUMP)
    own = (_address(body) for body in found if _INFO.unpack_from(body)[4] == index)
    return tuple(sorted(address for address in own if address.ip in TEST_NETWORK))


def add_address(index: int, address: IPv4Interface) -> None:
    """Give an interface one more address."""
    _change(_NEW, index, address, ACK | _CREATE_NEW)


def delete_address(index: int, address: IPv4Interface) -> None:
    """Take an address off an interface."""
    _change(_DELETE, index, address, ACK)


def _change(kind: int, index: int, address: IPv4Interface, flags: int) -> None:
    info = _INFO.pack(_INET, address.network.prefixlen, 0, 0, index)
    packed = address.ip.packed
    with Netlink.open(ROUTE) as kernel:
        kernel.ask(kind, info + attribute(_LOCAL, packed) + attribute(_ADDRESS, packed), flags)


def _address(body: bytes) -> IPv4Interface:
    prefix_bits = _INFO.unpack_from(body)[1]
    has = dict(attributes(body[_INFO.size :]))
    return IPv4Interface((IPv4Address(has.get(_LOCAL) or has[_ADDRESS]), prefix_bits))
