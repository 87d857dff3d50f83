"""A lab to which a user's frames come as to the host, or the router, that they were sent to.

Whatever they are addressed to is the device, or lies behind it. Nothing merges packets, and no
checksum is held against TCP or UDP by connection tracking: a card has done that.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

from linerate.cells import Cell
from linerate.measure.datapaths.filters.lab import (
    DUT,
    GENERATOR,
    NEXT_HOP_MAC,
    ROUTER,
    open_filter_lab,
    open_forwarding_lab,
)
from linerate.measure.datapaths.filters.own.netlink import TCP, UDP, Flow
from linerate.measure.labs.veth import VethLab
from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.rulesets.packet import IPV4, Packet, destination_of, parse_packet
from linerate.measure.rulesets.ruleset import Hook

NEAR_IPV6, FAR_IPV6 = ("fd00::1/64", "fd00::2"), ("fd01::1/64", "fd01::2")
"""On each side of the device its address, and that of who stands for every host there."""
IPV6_THERE = Path("/proc/net/if_inet6")
_OPENING = 0x01 | 0x02 | 0x04
"""TCP flags that open or end a flow: FIN, SYN and RST."""
_MAC = bytes.fromhex(DUT.mac.replace(":", ""))


def addressed(frames: Frames) -> Frames:
    """Send frames to the device, whichever host they were for."""
    return replace(frames, packets=tuple(_MAC + packet[6:] for packet in frames.packets))


def flows_of(frames: Frames) -> tuple[Flow, ...]:
    """List the flows of frames, each once, in the direction that came first.

    Returns
    -------
    Empty where a frame is of no flow that can be written down as known: UDP or TCP over IPv4,
    neither a fragment nor a packet that opens or ends it.
    """
    found: dict[Flow, None] = {}
    for data in frames.packets:
        flow = _flow_of(parse_packet(data))
        if flow is None:
            return ()
        if flow.answers not in found:
            found[flow] = None
    return tuple(found)


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


def sink_flags(last: Hook) -> tuple[str, ...]:
    """Say how the generator takes back what left: as an skb, since its headroom was used.

    For an XDP sink each packet would be copied.
    """
    return ("--sink-skbs",) if last == "forward" else ()


@contextmanager
def open_arrival_lab(cell: Cell, frames: Frames, last: Hook) -> Iterator[VethLab]:
    """Build a lab whose device takes all that frames are sent to for its own, or forwards it."""
    opened = open_forwarding_lab if last == "forward" else open_filter_lab
    with opened(cell) as lab:
        _let_in(lab)
        _lead(lab, frames, last)
        yield replace(lab, forwards=False)  # frames are made anew, headers and all


def _let_in(lab: VethLab) -> None:
    """Turn away nothing for its source or its checksum; merge nothing."""
    device = lab.dut_device
    lab.dut.run(["ip", "link", "set", "dev", device, "gro_max_size", "1"])
    lab.dut.run(
        ["sysctl", "--quiet", "--ignore", "-w", f"net.ipv4.conf.{device}.accept_local=1",
         "net.netfilter.nf_conntrack_checksum=0",
         "net.ipv6.conf.all.disable_ipv6=0", "net.ipv6.conf.all.accept_ra=0"]
    )  # fmt: skip


def _lead(lab: VethLab, frames: Frames, last: Hook) -> None:
    """Lead packets to the device, or through it, and answers back; IPv6 where the kernel has it."""
    far, back = (end.address.split("/")[0] for end in (DUT, GENERATOR))
    sides = {lab.dut_device: (NEAR_IPV6, GENERATOR.mac)}
    if last == "forward":
        sides[lab.out_device] = FAR_IPV6, NEXT_HOP_MAC
        lab.dut.run(["sysctl", "--quiet", "--ignore", "-w", "net.ipv6.conf.all.forwarding=1"])
        out, lines = lab.out_device, [f"route add default via {far} dev {lab.out_device}"]
    else:
        out, lines = lab.dut_device, [f"route add default via {back} dev {lab.dut_device}"]
        lines += _local(frames, IPv4Address)
    if IPV6_THERE.exists():
        for device, ((own, other), mac) in sides.items():
            lines += [f"address add {own} dev {device} nodad",
                      f"neigh replace {other} lladdr {mac} nud permanent dev {device}"]  # fmt: skip
        lines.append(f"route add default via {sides[out][0][1]} dev {out}")
        lines += _local(frames, IPv6Address) if last != "forward" else []
    lab.dut.run(["ip", "link", "set", "dev", "lo", "up"])
    lab.dut.run(["ip", "-batch", "-"], text_in="".join(f"{line}\n" for line in lines))


def _local(frames: Frames, of: type[IPv4Address | IPv6Address]) -> list[str]:
    """Take all that frames go to for the device's own, but what is taken for it anyway."""
    found = dict.fromkeys(destination_of(parse_packet(data)) for data in frames.packets)
    known = {"255.255.255.255", *(end.address.split("/")[0] for end in (DUT, ROUTER))}
    return [f"route replace local {each} dev lo table local" for each in found
            if isinstance(each, of) and str(each) not in known
            and not (each.is_multicast or each.is_unspecified)]  # fmt: skip
