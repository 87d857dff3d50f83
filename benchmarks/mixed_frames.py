"""What a ruleset takes of frames that come mixed: ``sudo python benchmarks/mixed_frames.py``.

Three rules of nftables at input, none of which takes a packet, in front of a policy that drops.
Frames of 64 bytes differ by one thing, in turn; each kind runs as `linerate fits` runs it, all
kinds in turn.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from statistics import median

from linerate.measure.datapaths.filters.own.inputs import RulesetUnderTest
from linerate.measure.datapaths.filters.own.test_run import time_ruleset
from linerate.measure.objects.traffic.frames import Frames, frames_in_order
from linerate.measure.objects.traffic.udp_frames import internet_checksum
from linerate.measure.rulesets.listing import load_source
from linerate.measure.rulesets.source import parse_source
from linerate.progress import telling

ROUNDS = 2
"""Of three loads each."""
RULES = """table inet firewall {
  chain incoming {
    type filter hook input priority 0; policy drop;
    tcp dport 22 accept
    udp dport 53 accept
    ip saddr 192.0.2.0/24 drop
  }
}
"""
MACS = bytes.fromhex("020000000002020000000001")
UDP, DISCARD = 17, 9
SOURCE, DESTINATION = IPv4Address("10.1.0.1"), IPv4Address("10.2.0.1")
SOURCE_V6, DESTINATION_V6 = IPv6Address("2001:db8:1::1"), IPv6Address("2001:db8:2::1")


def ipv4(source: int = 0, destination: int = 0, port: int = 0) -> bytes:
    """Build a UDP packet whose ends are so many addresses, or ports, behind the first."""
    ends = (SOURCE + source).packed + (DESTINATION + destination).packed
    head = struct.pack("!2B3H2BH", 0x45, 0, 28, 0, 0, 64, UDP, 0)
    head = head[:10] + internet_checksum(head + ends) + ends
    return MACS + b"\x08\x00" + head + struct.pack("!4H", 1024 + port, DISCARD, 8, 0)


def ipv6() -> bytes:
    """Build a UDP packet of IPv6."""
    head = struct.pack("!IHBB", 0x60000000, 8, UDP, 64) + SOURCE_V6.packed + DESTINATION_V6.packed
    return MACS + b"\x86\xdd" + head + struct.pack("!4H", 1024, DISCARD, 8, 0)


def kinds() -> dict[str, Frames]:
    """Frames by how they differ."""
    orders = {
        "one flow": [ipv4()],
        "64 source ports": [ipv4(port=each) for each in range(64)],
        "64 sources": [ipv4(source=each) for each in range(64)],
        "64 destinations": [ipv4(destination=each) for each in range(64)],
        "1000 destinations": [ipv4(destination=each) for each in range(1000)],
        "IPv6 alone": [ipv6()],
        "32 of IPv4, 32 of IPv6": [ipv4()] * 32 + [ipv6()] * 32,
        "IPv4 and IPv6 in turn": [ipv4(), ipv6()],
    }  # fmt: skip
    return {name: frames_in_order(order, len(order)) for name, order in orders.items()}


def main() -> None:
    """Run each kind, and print it."""
    source = parse_source(Path("firewall.nft"), RULES)
    tested = RulesetUnderTest(source=source, ruleset=load_source(source), last="input")
    taken_ns = defaultdict[str, list[float]](list)
    sent = kinds()
    with telling(shown=True) as tell:
        for turn in range(ROUNDS):
            for place, (name, frames) in enumerate(sent.items()):
                tell(name, turn * len(sent) + place, ROUNDS * len(sent))
                taken_ns[name] += time_ruleset(tested, frames, lambda *_: None).ran_ns
    for name, times in taken_ns.items():
        print(f"{name:24} {median(times):6.0f} ns ({min(times):.0f} to {max(times):.0f})")


if __name__ == "__main__":
    main()
