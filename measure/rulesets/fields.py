"""What rules look at: fields of headers and of the packet's own record, with the names of values.

Names and places as nft(8) and libnftables-json(5) give them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from types import MappingProxyType

from linerate.measure.rulesets.packet import IPV4, IPV6, Base, Packet, destination_of

BROADCAST = IPv4Address("255.255.255.255")
PROTOCOLS = {"icmp": 1, "igmp": 2, "ipip": 4, "tcp": 6, "udp": 17, "dccp": 33, "ipv6": 41,
             "gre": 47, "esp": 50, "ah": 51, "icmpv6": 58, "ipv6-icmp": 58, "ospf": 89,
             "pim": 103, "vrrp": 112, "l2tp": 115, "sctp": 132, "udplite": 136}  # fmt: skip
ETHERTYPES = {"ip": IPV4, "arp": 0x0806, "ip6": IPV6, "vlan": 0x8100, "8021q": 0x8100}
TCP_FLAGS = {"fin": 1, "syn": 2, "rst": 4, "psh": 8, "ack": 16, "urg": 32, "ecn": 64, "cwr": 128}
ICMP_TYPES = {"echo-reply": 0, "destination-unreachable": 3, "source-quench": 4, "redirect": 5,
              "echo-request": 8, "router-advertisement": 9, "router-solicitation": 10,
              "time-exceeded": 11, "parameter-problem": 12, "timestamp-request": 13,
              "timestamp-reply": 14, "info-request": 15, "info-reply": 16,
              "address-mask-request": 17, "address-mask-reply": 18}  # fmt: skip
ICMPV6_TYPES = {"destination-unreachable": 1, "packet-too-big": 2, "time-exceeded": 3,
                "parameter-problem": 4, "echo-request": 128, "echo-reply": 129,
                "mld-listener-query": 130, "mld-listener-report": 131, "mld-listener-done": 132,
                "mld-listener-reduction": 132, "nd-router-solicit": 133, "nd-router-advert": 134,
                "nd-neighbor-solicit": 135, "nd-neighbor-advert": 136, "nd-redirect": 137,
                "mld2-listener-report": 143}  # fmt: skip
DSCP = {f"cs{n}": 8 * n for n in range(8)} | {
    f"af{n}{p}": 8 * n + 2 * p for n in range(1, 5) for p in range(1, 4)} | {"ef": 46}  # fmt: skip
CT_STATES = {"invalid": 1, "established": 2, "related": 4, "new": 8, "untracked": 64}
CT_STATUS = {"expected": 1, "seen-reply": 2, "assured": 4, "confirmed": 8, "snat": 16,
             "dnat": 32, "dying": 512}  # fmt: skip
ANSWERED = CT_STATUS["seen-reply"] | CT_STATUS["assured"] | CT_STATUS["confirmed"]
"""Status of a flow that was answered before."""
ROUTE_TYPE = "route_type"
"""Kind of a lookup of what an address is to the host."""
ROUTE_TYPES = {"unicast": 1, "local": 2, "broadcast": 3, "multicast": 5}
DRAWN = "drawn"
"""Kind of a number that is drawn, or counted up, for each packet."""
NFPROTO = {"ipv4": 2, "ipv6": 10}
PACKET_TYPES = {"host": 0, "unicast": 0, "broadcast": 1, "multicast": 2, "other": 3}
_NONE: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """Something with a value of some bits."""

    name: str
    bits: int
    base: Base | None = None
    """Of a header's field."""
    at: int = 0
    """Its first bit there."""
    names: Mapping[str, int] = field(default_factory=lambda: _NONE)
    """Of values."""
    network: int | None = None
    """EtherType of packets that have it."""
    protocol: int | None = None
    """Protocol of packets that have it."""
    names_interface: bool = False
    looked_up: str = ""
    """Kind of the lookup that reading it takes."""
    taken: int | None = None
    """Value that it is taken to have, whatever the packet."""

    def value(self, packet: Packet, ct_state: int) -> int | None:
        """Read it; None where the packet has none.

        Parameters
        ----------
        packet
            Whose value.
        ct_state
            What connection tracking says of the packet, of ``CT_STATES``.
        """
        if self.taken is not None:
            return self.taken
        if self.base is not None:
            return packet.bits(self.base, self.at, self.bits)
        own = {"l4proto": packet.protocol, "protocol": packet.ethertype,
               "mark": packet.mark,
               "pkttype": 0, "iif": packet.comes_by, "iifname": packet.comes_by,
               "oif": packet.leaves_by, "oifname": packet.leaves_by,
               "nfproto": {IPV4: 2, IPV6: 10}.get(packet.ethertype),
               "length": packet.end - 14, "ct state": ct_state, "ct mark": 0,
               "ct status": _status(packet, ct_state),
               "fib daddr type": _route_type(packet), "fib saddr type": ROUTE_TYPES["unicast"],
               "fib saddr oif": 1}  # fmt: skip
        return own[self.name]


def _status(packet: Packet, ct_state: int) -> int:
    """Say what connection tracking knows of a packet's flow."""
    known = ANSWERED if ct_state == CT_STATES["established"] else 0
    return known | (CT_STATUS["dnat"] if packet.is_redirected else 0)


def _route_type(packet: Packet) -> int:
    """Say what the kernel's routes make of where a packet goes."""
    destination = destination_of(packet)
    if destination is None or destination == BROADCAST:
        return ROUTE_TYPES["broadcast"]
    if destination.is_multicast:
        return ROUTE_TYPES["multicast"]
    return ROUTE_TYPES["local" if packet.is_delivered else "unicast"]


META = {each.name: each for each in (
    Field(name="l4proto", bits=8, names=PROTOCOLS),
    Field(name="protocol", bits=16, names=ETHERTYPES),
    Field(name="nfproto", bits=8, names=NFPROTO),
    Field(name="length", bits=32),
    Field(name="mark", bits=32),
    Field(name="pkttype", bits=8, names=PACKET_TYPES),
    Field(name="random", bits=32, looked_up=DRAWN, taken=(1 << 32) - 1),
    *(Field(name=name, bits=128, names_interface=True)
      for name in ("iifname", "iif", "oifname", "oif")),
)}  # fmt: skip
CT = {key: Field(name=f"ct {key}", bits=32, names=names)
      for key, names in (("state", CT_STATES), ("status", CT_STATUS), ("mark", _NONE))}  # fmt: skip
FIB = {
    ("daddr", "type"): Field(
        name="fib daddr type", bits=32, names=ROUTE_TYPES, looked_up=ROUTE_TYPE
    ),
    ("saddr", "type"): Field(
        name="fib saddr type", bits=32, names=ROUTE_TYPES, looked_up=ROUTE_TYPE
    ),
    ("saddr", "oif"): Field(name="fib saddr oif", bits=32, looked_up="route_back"),
}
"""By what is looked up in the routes, and what is asked; a source has a route back."""


def drawn(choices: int, first: int) -> Field:
    """Give the field of a number that the kernel draws, or counts, of so many from a first one on.

    It is taken to be the last: a rule that is for a share of the packets is none for this one.
    """
    return Field(name="numgen", bits=32, looked_up=DRAWN, taken=first + choices - 1)


_PLACES: dict[str, tuple[Base, dict[str, tuple[int, int, Mapping[str, int]]]]] = {
    "ether": ("ll", {"daddr": (0, 48, _NONE), "saddr": (48, 48, _NONE),
                     "type": (96, 16, ETHERTYPES)}),
    "ip": ("nh", {"version": (0, 4, _NONE), "hdrlength": (4, 4, _NONE), "dscp": (8, 6, DSCP),
                  "ecn": (14, 2, _NONE), "length": (16, 16, _NONE), "id": (32, 16, _NONE),
                  "frag-off": (48, 16, _NONE), "ttl": (64, 8, _NONE),
                  "protocol": (72, 8, PROTOCOLS), "checksum": (80, 16, _NONE),
                  "saddr": (96, 32, _NONE), "daddr": (128, 32, _NONE)}),
    "ip6": ("nh", {"version": (0, 4, _NONE), "dscp": (4, 6, DSCP), "flowlabel": (12, 20, _NONE),
                   "length": (32, 16, _NONE), "nexthdr": (48, 8, PROTOCOLS),
                   "hoplimit": (56, 8, _NONE), "saddr": (64, 128, _NONE),
                   "daddr": (192, 128, _NONE)}),
    "tcp": ("th", {"sport": (0, 16, _NONE), "dport": (16, 16, _NONE), "sequence": (32, 32, _NONE),
                   "ackseq": (64, 32, _NONE), "doff": (96, 4, _NONE), "flags": (104, 8, TCP_FLAGS),
                   "window": (112, 16, _NONE)}),
    "udp": ("th", {"sport": (0, 16, _NONE), "dport": (16, 16, _NONE), "length": (32, 16, _NONE)}),
    "th": ("th", {"sport": (0, 16, _NONE), "dport": (16, 16, _NONE)}),
    "sctp": ("th", {"sport": (0, 16, _NONE), "dport": (16, 16, _NONE)}),
    "dccp": ("th", {"sport": (0, 16, _NONE), "dport": (16, 16, _NONE)}),
    "udplite": ("th", {"sport": (0, 16, _NONE), "dport": (16, 16, _NONE)}),
    "icmp": ("th", {"type": (0, 8, ICMP_TYPES), "code": (8, 8, _NONE)}),
    "icmpv6": ("th", {"type": (0, 8, ICMPV6_TYPES), "code": (8, 8, _NONE)}),
}  # fmt: skip


def header_field(protocol: str, name: str) -> Field | None:
    """Find a header's field; None where it is not known."""
    base, places = _PLACES.get(protocol, ("ll", {}))
    if name not in places:
        return None
    at, bits, names = places[name]
    return Field(
        name=f"{protocol} {name}", bits=bits, base=base, at=at, names=names,
        network={"ip": IPV4, "ip6": IPV6}.get(protocol),
        protocol=PROTOCOLS.get(protocol) if base == "th" else None,
    )  # fmt: skip
