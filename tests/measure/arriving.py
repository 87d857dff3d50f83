"""Packets of many kinds, as they come by a cable to whoever they are addressed to."""

import struct
from ipaddress import IPv4Address, IPv6Address

from linerate.measure.objects.traffic.frames import frames_by_weight
from linerate.measure.objects.traffic.udp_frames import internet_checksum

ICMP, TCP, UDP, ICMPV6 = 1, 6, 17, 58
ACK, SYN = 0x10, 0x02
_MACS = bytes.fromhex("02aabbccddee" "02aabbccddef")  # fmt: skip
"""Of hosts that are not in any lab."""


def _ports(source, destination, rest):
    return struct.pack("!2H", source, destination) + rest


def udp(source=5000, destination=53):
    return _ports(source, destination, struct.pack("!2H", 8, 0))


def tcp(source=5000, destination=80, flags=ACK):
    return _ports(source, destination, struct.pack("!2I2B3H", 1, 1, 0x50, flags, 512, 0, 0))


ECHO = struct.pack("!2B3H", 8, 0, 0, 1, 1)
ECHO_V6 = struct.pack("!2B3H", 128, 0, 0, 1, 1)


def ipv4(protocol, behind, *, source="10.1.0.1", destination="10.2.0.1"):
    ends = IPv4Address(source).packed + IPv4Address(destination).packed
    head = struct.pack("!2B3H2BH", 0x45, 0, 20 + len(behind), 1, 0, 64, protocol, 0)
    head = head[:10] + internet_checksum(head + ends) + ends
    return (_MACS + b"\x08\x00" + head + behind).ljust(60, b"\0")


def ipv6(protocol, behind, *, source="2001:db8:1::1", destination="2001:db8:2::1"):
    ends = IPv6Address(source).packed + IPv6Address(destination).packed
    head = struct.pack("!IHBB", 0x60000000, len(behind), protocol, 64) + ends
    return (_MACS + b"\x86\xdd" + head + behind).ljust(60, b"\0")


def arp():
    asked = struct.pack("!HHBBH", 1, 0x0800, 6, 4, 1) + bytes(20)
    return (b"\xff" * 6 + _MACS[6:] + b"\x08\x06" + asked).ljust(60, b"\0")


def mixed():
    """Ten packets, all of different kinds or hosts."""
    packets = [
        ipv4(UDP, udp()), ipv4(UDP, udp(destination=9)), ipv4(TCP, tcp()),
        ipv4(TCP, tcp(destination=22, flags=SYN)), ipv4(ICMP, ECHO),
        ipv4(UDP, udp(), destination="192.0.2.7"),
        ipv6(UDP, udp()), ipv6(TCP, tcp()), ipv6(ICMPV6, ECHO_V6), arp(),
    ]  # fmt: skip
    return frames_by_weight([(packet, 1) for packet in packets])
