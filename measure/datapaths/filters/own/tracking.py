"""What connection tracking knows of the packets of a lab: their flows, or nothing of any.

A flow that is not known is that of one packet: the table forgets it at once, so that the next
packet is again the first of its flow, is entered, and has the one before taken out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address

from linerate.measure.datapaths.filters.lab import DUT, ROUTER
from linerate.measure.datapaths.filters.own.inputs import RulesetUnderTest
from linerate.measure.datapaths.filters.own.netlink import (
    FLOW_SECONDS,
    TCP,
    UDP,
    Flow,
    establish,
)
from linerate.measure.labs.veth import VethLab
from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.rulesets.packet import IPV4, Packet, destination_of, parse_packet
from linerate.measure.rulesets.translation import Side, Translate
from linerate.measure.rulesets.walk import walk

_OPENING = 0x01 | 0x02 | 0x04
"""TCP flags that open or end a flow: FIN, SYN and RST."""
_OWN: Mapping[Side, IPv4Address] = {
    "source": IPv4Address(ROUTER.address.split("/")[0]),
    "destination": IPv4Address(DUT.address.split("/")[0]),
}
"""Address of the device that stands for one by the side that becomes it."""
_TIMEOUTS = (
    "generic_timeout", "icmp_timeout", "icmpv6_timeout", "udp_timeout", "udp_timeout_stream",
    *(f"tcp_timeout_{state}" for state in (
        "close", "close_wait", "established", "fin_wait", "last_ack", "max_retrans", "syn_recv",
        "syn_sent", "time_wait", "unacknowledged")),
)  # fmt: skip


def know_flows(lab: VethLab, flows: Sequence[Flow]) -> None:
    """Write flows into the connection table of a lab, as answered before.

    Raises
    ------
    LinerateError
        The kernel refused one.
    """
    _keep_seconds(lab, FLOW_SECONDS)
    establish(lab.dut.path, flows)


def forget_flows(lab: VethLab) -> None:
    """Have each packet that is sent from now on be the first of its flow.

    Raises
    ------
    LinerateError
        The kernel refused.
    """
    _keep_seconds(lab, 0)


def _keep_seconds(lab: VethLab, seconds: int) -> None:
    keys = (f"net.netfilter.nf_conntrack_{name}={seconds}" for name in _TIMEOUTS)
    lab.dut.run(["sysctl", "--quiet", "--ignore", "-w", *keys])


def flows_of(frames: Frames, tested: RulesetUnderTest | None = None) -> tuple[Flow, ...]:
    """List the flows of frames, each once, in the direction that came first.

    Parameters
    ----------
    frames
        As they come.
    tested
        What translates their addresses; as where nothing does if left out.

    Returns
    -------
    Empty where a frame is of no flow that can be written down as known: UDP or TCP over IPv4,
    neither a fragment nor a packet that opens or ends it.
    """
    found: dict[Flow, Flow] = {}
    for data in frames.packets:
        packet = parse_packet(data)
        flow = _flow_of(packet)
        if flow is None:
            return ()
        if flow not in found and flow.answers not in found:
            translations = _translations(tested, packet) if tested else ()
            given = tuple(_with_address(flow, to) for to in translations)
            found[flow] = flow._replace(translations=given)
    return tuple(found.values())


def destinations_of(
    frames: Frames, tested: RulesetUnderTest
) -> tuple[IPv4Address | IPv6Address, ...]:
    """List the addresses that packets go to, before and behind what translates them."""
    found: dict[IPv4Address | IPv6Address, None] = {}
    for data in frames.packets:
        packet = parse_packet(data)
        own = destination_of(packet)
        found |= {own: None} if own else {}
        found |= {to.address: None for to in _translations(tested, packet)
                  if to.side == "destination" and to.address}  # fmt: skip
    return tuple(found)


def is_translated(frames: Frames, tested: RulesetUnderTest) -> bool:
    """Whether an address of any of these packets is translated."""
    return any(_translations(tested, parse_packet(data)) for data in frames.packets)


def _translations(tested: RulesetUnderTest, packet: Packet) -> tuple[Translate, ...]:
    """Say what a packet's addresses become."""
    if not tested.ruleset.translates:
        return ()
    found = walk(tested.ruleset, packet, tested.last, established=True).translations
    return tuple(found.values())


def _with_address(flow: Flow, to: Translate) -> Translate:
    """Name the address that a side gets, where it is the device's or stays."""
    stays = flow.source if to.side == "source" else flow.destination
    return replace(to, address=to.address or (_OWN[to.side] if to.to_host else stays))


def _flow_of(packet: Packet) -> Flow | None:
    at, protocol = packet.transport, packet.protocol
    if packet.ethertype != IPV4 or at is None or protocol not in (TCP, UDP):
        return None
    if protocol == TCP and packet.bits("th", 104, 8) is None:
        return None
    if protocol == TCP and packet.data[at + 13] & _OPENING:
        return None
    source, destination = (IPv4Address(packet.data[place : place + 4]) for place in (26, 30))
    ports = (int.from_bytes(packet.data[place : place + 2], "big") for place in (at, at + 2))
    source_port, destination_port = ports
    return Flow(protocol, source, source_port, destination, destination_port)
