"""A lab to which a user's frames come as to the host, or the router, that they were sent to.

Whatever they are addressed to is the device, or lies behind it. Nothing merges packets, and no
checksum is held against TCP or UDP by connection tracking: a card has done that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network, IPv6Address
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
from linerate.measure.labs.veth import VethLab
from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.rulesets.ruleset import Hook

NEAR_IPV6, FAR_IPV6 = ("fd00::1/64", "fd00::2"), ("fd01::1/64", "fd01::2")
"""On each side of the device its address, and that of who stands for every host there."""
Address = IPv4Address | IPv6Address
NEAR = IPv4Network(GENERATOR.network)
"""Where the lab's sources are."""
IPV6_THERE = Path("/proc/net/if_inet6")
_MAC = bytes.fromhex(DUT.mac.replace(":", ""))


def addressed(frames: Frames) -> Frames:
    """Send frames to the device, whichever host they were for."""
    return replace(frames, packets=tuple(_MAC + packet[6:] for packet in frames.packets))


def sink_flags(last: Hook) -> tuple[str, ...]:
    """Say how the generator takes back what left: as an skb, since its headroom was used.

    For an XDP sink each packet would be copied.
    """
    return ("--sink-skbs",) if last == "forward" else ()


@contextmanager
def open_arrival_lab(cell: Cell, destinations: Iterable[Address], last: Hook) -> Iterator[VethLab]:
    """Build a lab whose device takes all that packets are sent to for its own, or forwards it."""
    opened = open_forwarding_lab if last == "forward" else open_filter_lab
    with opened(cell) as lab:
        _let_in(lab)
        _lead(lab, tuple(destinations), last)
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


def _lead(lab: VethLab, destinations: Sequence[Address], last: Hook) -> None:
    """Lead packets to the device, or through it, and answers back; IPv6 where the kernel has it."""
    far, back = (end.address.split("/")[0] for end in (DUT, GENERATOR))
    sides = {lab.dut_device: (NEAR_IPV6, GENERATOR.mac)}
    if last == "forward":
        sides[lab.out_device] = FAR_IPV6, NEXT_HOP_MAC
        lab.dut.run(["sysctl", "--quiet", "--ignore", "-w", "net.ipv6.conf.all.forwarding=1"])
        out = lab.out_device
        # All hosts behind it are reached by the neighbour that is known: none is asked for by ARP.
        via = f"via {far} dev {out}"
        near = [each for each in destinations if each in NEAR and str(each) not in (far, back)]
        lines = [f"route add {far}/32 dev {out}", f"route replace {DUT.network} {via}",
                 f"route add default {via}", *(f"route replace {each} {via}" for each in near)
                 ]  # fmt: skip
    else:
        out, lines = lab.dut_device, [f"route add default via {back} dev {lab.dut_device}"]
        lines += _local(destinations, IPv4Address)
    if IPV6_THERE.exists():
        for device, ((own, other), mac) in sides.items():
            lines += [f"address add {own} dev {device} nodad",
                      f"neigh replace {other} lladdr {mac} nud permanent dev {device}"]  # fmt: skip
        lines.append(f"route add default via {sides[out][0][1]} dev {out}")
        lines += _local(destinations, IPv6Address) if last != "forward" else []
    lab.dut.run(["ip", "link", "set", "dev", "lo", "up"])
    lab.dut.run(["ip", "-batch", "-"], text_in="".join(f"{line}\n" for line in lines))


def _local(destinations: Sequence[Address], of: type[Address]) -> list[str]:
    """Take all that packets go to for the device's own, but what is taken for it anyway."""
    known = {"255.255.255.255", *(end.address.split("/")[0] for end in (DUT, ROUTER))}
    return [f"route replace local {each} dev lo table local" for each in destinations
            if isinstance(each, of) and str(each) not in known
            and not (each.is_multicast or each.is_unspecified)]  # fmt: skip
