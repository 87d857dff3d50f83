"""A packet as rules see it: where its headers lie."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import Literal

Base = Literal["ll", "nh", "th"]
"""Link layer, network header, transport header: the bases of nftables."""
IPV4, IPV6 = 0x0800, 0x86DD
ETHERNET_BYTES = 14
IPV4_BYTES, IPV6_BYTES = 20, 40
FRAGMENT = 44
EXTENSIONS = (0, 43, 60)
"""Of IPv6, with their length in them: hop by hop, routing, destination."""
EXTENSIONS_MAX = 8
NAME_BYTES = 16
"""Of an interface, with the zero that ends it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Packet:
    """A frame without FCS, and the places of its headers."""

    data: bytes
    ethertype: int
    protocol: int | None = None
    """Of layer 4; None where that is not known."""
    transport: int | None = None
    """Offset of that header; None in a later fragment, or where there is none."""
    end: int = 0
    """Where the network packet ends: what follows is padding."""
    comes_by: int = 0
    """Number of the interface's name; 0 of one that no rule names."""
    leaves_by: int = 0
    """The same, where it is known by which it leaves."""
    is_delivered: bool = True
    """Whether its address is this host's; else it is forwarded."""
    mark: int = 0
    """What rules marked it with."""
    is_redirected: bool = False
    """Whether its destination was translated."""

    def offset(self, base: Base) -> int | None:
        """Where a header begins; None where there is none."""
        if base == "th":
            return self.transport
        return 0 if base == "ll" else ETHERNET_BYTES

    def bits(self, base: Base, at: int, count: int) -> int | None:
        r"""Read bits of a header, the first the highest; None beyond the packet.

        >>> Packet(data=bytes(12) + b"\x08\x00" + b"\x45", ethertype=IPV4).bits("nh", 4, 4)
        5
        """
        start = self.offset(base)
        if start is None:
            return None
        first, last = start + at // 8, start + (at + count + 7) // 8
        if last > len(self.data):
            return None
        value = int.from_bytes(self.data[first:last], "big")
        return value >> (last - start) * 8 - at - count & (1 << count) - 1


def interface_number(name: str) -> int:
    """Make a number of an interface's name, as rules compare it: byte by byte, ended by zeros.

    >>> hex(interface_number("lo"))
    '0x6c6f0000000000000000000000000000'
    """
    return int.from_bytes(name.encode()[:NAME_BYTES].ljust(NAME_BYTES, b"\0"), "big")


def interface_name(number: int) -> str:
    """Read a name back.

    >>> interface_name(interface_number("eth0"))
    'eth0'
    """
    return number.to_bytes(NAME_BYTES, "big").rstrip(b"\0").decode("utf-8", "replace")


def parse_packet(data: bytes) -> Packet:
    """Find the headers of a frame; what is cut short has none."""
    ethertype = int.from_bytes(data[12:14], "big")
    bare = Packet(data=data, ethertype=ethertype, end=len(data))
    if ethertype == IPV4 and len(data) >= ETHERNET_BYTES + IPV4_BYTES:
        return _ipv4(bare)
    if ethertype == IPV6 and len(data) >= ETHERNET_BYTES + IPV6_BYTES:
        return _ipv6(bare)
    return bare


def destination_of(packet: Packet) -> IPv4Address | IPv6Address | None:
    """Read where a packet goes to; None of what is not IP."""
    at = ETHERNET_BYTES
    if packet.protocol is None:
        return None
    if packet.ethertype == IPV4:
        return IPv4Address(packet.data[at + 16 : at + IPV4_BYTES])
    return IPv6Address(packet.data[at + 24 : at + IPV6_BYTES])


def _ipv4(bare: Packet) -> Packet:
    data, at = bare.data, ETHERNET_BYTES
    later = int.from_bytes(data[at + 6 : at + 8], "big") & 0x1FFF
    begins = at + 4 * (data[at] & 0xF)
    whole = begins < len(data) and not later
    return Packet(
        data=data, ethertype=bare.ethertype, protocol=data[at + 9],
        transport=begins if whole else None,
        end=min(len(data), at + int.from_bytes(data[at + 2 : at + 4], "big")),
    )  # fmt: skip


def _ipv6(bare: Packet) -> Packet:
    data, kind, at = bare.data, bare.data[20], ETHERNET_BYTES + IPV6_BYTES
    later = False
    for _ in range(EXTENSIONS_MAX):
        if at + 8 > len(data) or kind not in (*EXTENSIONS, FRAGMENT):
            break
        later = later or (kind == FRAGMENT and bool(data[at + 2] << 8 | data[at + 3] & 0xF8))
        size = 8 if kind == FRAGMENT else 8 + 8 * data[at + 1]
        kind, at = data[at], at + size
    return Packet(
        data=data, ethertype=bare.ethertype, protocol=kind,
        transport=at if at < len(data) and not later else None, end=len(data),
    )  # fmt: skip
