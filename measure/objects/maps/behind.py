"""What the network stack of an environment does with packets that pass."""

from __future__ import annotations

from collections import Counter
from ipaddress import (
    IPv4Address,
    IPv4Interface,
    IPv6Address,
    IPv6Interface,
    ip_address,
    ip_interface,
    ip_network,
)

from linerate.measure.objects.maps.environment import Environment
from linerate.measure.objects.traffic.frames import Frames
from linerate.programs.costs import FORWARD, LOCAL, STACK, UNROUTED

_ETHERNET_BYTES = 14
_IPV4, _IPV6 = b"\x08\x00", b"\x86\xdd"
_DESTINATIONS = {_IPV4: (16, 20), _IPV6: (24, 40)}
"""By EtherType: bytes of the IP header that hold the destination."""


def behind_pass(environment: Environment | None, frames: Frames) -> tuple[tuple[str, float], ...]:
    """Say what the stack does with frames as they came, and with what share of them.

    Parameters
    ----------
    environment
        Addresses and routes of the device; None where it has none.
    frames
        The traffic; what a program changes of it is not known.

    Returns
    -------
    Its ways (``linerate.programs.costs.STACK``) with their shares, 0 to 1, where they are not 0;
    none where it has no address and no route, and drops all at once.
    """
    if environment is None or not (_addresses(environment) or environment.routes):
        return ()
    found: Counter[str] = Counter()
    for packet, weight in zip(frames.packets, frames.weights, strict=True):
        found[_way(environment, packet)] += weight
    total = sum(found.values())
    return tuple((kind, found[kind] / total) for kind in STACK if found[kind])


def _way(environment: Environment, packet: bytes) -> str:
    destination = _destination(packet)
    if destination is None:
        return UNROUTED
    addresses = _addresses(environment)
    if any(destination == one.ip for one in addresses):
        return LOCAL
    networks = [
        *(one.network for one in addresses),
        *(ip_network(r.to) for r in environment.routes),
    ]
    routed = any(destination in network for network in networks)
    return FORWARD if environment.forwarding and routed else UNROUTED


def _addresses(environment: Environment) -> list[IPv4Interface | IPv6Interface]:
    return [ip_interface(text) for one in environment.interfaces for text in one.addresses]


def _destination(packet: bytes) -> IPv4Address | IPv6Address | None:
    known = _DESTINATIONS.get(packet[12:_ETHERNET_BYTES])
    if known is None:
        return None
    first, end = known
    return ip_address(packet[_ETHERNET_BYTES + first : _ETHERNET_BYTES + end])
