"""What a rule translates a packet's source or destination into.

Statements as libnftables-json(5) has them; fields as they stand before, but for checksums, at which
no rule looks.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv6Address
from typing import Literal

from linerate.measure.rulesets.elements import StrangeError
from linerate.measure.rulesets.packet import ETHERNET_BYTES, IPV4, Packet

Side = Literal["source", "destination"]
SIDES: dict[str, Side] = {
    "snat": "source", "masquerade": "source", "dnat": "destination", "redirect": "destination",
}  # fmt: skip
"""By the name of the statement."""
PORTED = (6, 17)
"""Protocols whose header begins with two ports: TCP and UDP."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Translate:
    """Translation of one side, as the first packet of a flow has it set up."""

    side: Side
    address: IPv4Address | IPv6Address | None = None
    """None where it is the host's own, or stays."""
    port: int | None = None
    """None where it stays."""
    to_host: bool = False
    """Whether it is translated into the host's own address."""

    @property
    def masquerades(self) -> bool:
        """Whether the source becomes the host's own address, which is looked up first."""
        return self.to_host and self.side == "source"

    def of(self, packet: Packet) -> Packet:
        r"""Give a packet its new address and port, as far as they are known and of its kind.

        >>> frame = bytes(12) + b"\x08\x00\x45" + bytes(8) + b"\x11" + bytes(10) + bytes(28)
        >>> packet = Packet(data=frame, ethertype=IPV4, protocol=17, transport=34, end=len(frame))
        >>> to = Translate(side="destination", address=IPv4Address("10.0.0.2"), port=53)
        >>> to.of(packet).bits("nh", 128, 32) == int(IPv4Address("10.0.0.2"))
        True
        >>> to.of(packet).bits("th", 16, 16)
        53
        """
        data, is_source = bytearray(packet.data), self.side == "source"
        version, size, at = (4, 4, 12) if packet.ethertype == IPV4 else (6, 16, 8)
        if self.address is not None and self.address.version == version:
            first = ETHERNET_BYTES + at + (0 if is_source else size)
            data[first : first + size] = self.address.packed
        at_ports = packet.transport
        if self.port is not None and at_ports is not None and packet.protocol in PORTED:
            first = at_ports + (0 if is_source else 2)
            data[first : first + 2] = self.port.to_bytes(2, "big")
        return replace(packet, data=bytes(data[: len(packet.data)]))


def translate_of(name: str, inner: object) -> Translate:
    """Read a statement of translation; of ranges the first of each.

    >>> translate_of("dnat", {"addr": "10.0.0.2", "port": {"range": [80, 90]}})
    Translate(side='destination', address=IPv4Address('10.0.0.2'), port=80, to_host=False)

    Raises
    ------
    StrangeError
        The address is looked up, so that it is not known here.
    """
    inner = inner if isinstance(inner, dict) else {}
    address, port = _first(inner.get("addr")), _first(inner.get("port"))
    if not (isinstance(address, str | None) and isinstance(port, int | None)):
        raise StrangeError(f"{name} to what is looked up")
    return Translate(
        side=SIDES[name],
        address=ipaddress.ip_address(address) if address else None,
        port=port,
        to_host=name in ("masquerade", "redirect"),
    )


def _first(value: object) -> object:
    """Of a range its first; a prefix keeps what it can of the address, so it is not known."""
    if isinstance(value, dict) and isinstance(value.get("range"), list):
        return value["range"][0]
    return value
