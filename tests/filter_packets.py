"""Packets as they come to a filter, and which of the five filters drop each."""

import struct
from dataclasses import dataclass

from .frames import sum_of_words

DUT_MAC, GENERATOR_MAC = bytes.fromhex("020000000002"), bytes.fromhex("020000000001")
DUT, ELSEWHERE = bytes((198, 19, 0, 1)), bytes((192, 0, 2, 1))
ICMP, TCP, UDP = 1, 6, 17
SYN, RST, ACK = 0x02, 0x04, 0x10
ALL = "drop_all"
PROGRAMS = (
    ALL, "drop_tcp_subnet", "drop_udp_subnet", "drop_tcp_subnet_flags", "drop_tcp_subnet_payload",
)  # fmt: skip
FRAME_BYTES_MIN = 60


@dataclass(frozen=True, kw_only=True)
class Fixture:
    what: str
    packet: bytes
    dropped_by: tuple[str, ...]
    """Beside drop_all, which drops whatever comes to its hook; without their drop_."""
    delivered: bool = True
    """Whether the stack gives it to a protocol when no filter drops it."""

    def drops(self, program):
        return program == ALL or program.removeprefix("drop_") in self.dropped_by


def ethernet(kind, behind):
    return (DUT_MAC + GENERATOR_MAC + struct.pack("!H", kind) + behind).ljust(FRAME_BYTES_MIN, b"X")


def ipv4(protocol, behind, *, to=DUT, ip_options=b"", fragment=0):
    fields = [
        0x45 + len(ip_options) // 4, 0, 20 + len(ip_options) + len(behind), 7, fragment, 64,
        protocol, 0, bytes((198, 18, 0, 1)), to,
    ]  # fmt: skip
    fields[7] = 0xFFFF - sum_of_words(struct.pack("!2B3H2BH4s4s", *fields) + ip_options)
    return ethernet(0x0800, struct.pack("!2B3H2BH4s4s", *fields) + ip_options + behind)


def tcp(flags=ACK, payload=b"", *, options=b"", tcp_words=None, **of_ip):
    words = 5 + len(options) // 4 if tcp_words is None else tcp_words
    head = struct.pack("!2H2I2B3H", 1024, 9, 1, 0, words << 4, flags, 64, 0, 0)
    return ipv4(TCP, head + options + payload, **of_ip)


def udp(payload=b"", **of_ip):
    return ipv4(UDP, struct.pack("!4H", 1024, 9, 8 + len(payload), 0) + payload, **of_ip)


NOPS = b"\x01" * 12
"""Options that say nothing, in IP and in TCP."""
MORE, LATER = 0x2000, 0x0001
"""Fragments: more follow, and not the first."""
TO_DUT, FLAGGED = ("tcp_subnet",), ("tcp_subnet", "tcp_subnet_flags")
MARKED, BOTH = ("tcp_subnet", "tcp_subnet_payload"), (*FLAGGED, "tcp_subnet_payload")
UNUSUAL = tcp(SYN | RST, b"_X__", options=NOPS, ip_options=NOPS)


def begin_ip(byte, packet):
    """Replace version and header length."""
    return packet[:14] + bytes([byte]) + packet[15:]


def fixture(what, packet, dropped_by=(), *, delivered=True):
    return Fixture(what=what, packet=packet, dropped_by=dropped_by, delivered=delivered)


FIXTURES = (
    fixture("UDP", udp(bytes(18)), ("udp_subnet",)),
    fixture("UDP with the mark", udp(b"_X" * 9), ("udp_subnet",)),
    fixture("UDP elsewhere", udp(bytes(18), to=ELSEWHERE)),
    fixture("ICMP", ipv4(ICMP, bytes.fromhex("0000ffff00000000"))),
    fixture("TCP, ACK", tcp(), TO_DUT),
    fixture("TCP, SYN", tcp(SYN), TO_DUT),
    fixture("TCP, RST", tcp(RST), TO_DUT),
    fixture("TCP, SYN and RST", tcp(SYN | RST), FLAGGED),
    fixture("TCP, all flags", tcp(0xFF), FLAGGED),
    fixture("TCP, marked", tcp(ACK, b"_X__"), MARKED),
    fixture("TCP, marked, long", tcp(ACK, b"_X" + bytes(62)), MARKED),
    fixture("TCP, marked, SYN and RST", tcp(SYN | RST, b"_X__"), BOTH),
    fixture("TCP elsewhere", tcp(SYN | RST, b"_X__", to=ELSEWHERE)),
    fixture("mark one early", tcp(ACK, b"X___"), TO_DUT),
    fixture("mark one late", tcp(ACK, b"__X_"), TO_DUT),
    fixture("mark in lower case", tcp(ACK, b"_x__"), TO_DUT),
    fixture("mark in the padding only", tcp(ACK, b"_"), TO_DUT),
    fixture("IP options", tcp(SYN | RST, b"_X__", ip_options=NOPS), BOTH),
    fixture("TCP options", tcp(SYN | RST, b"_X__", options=NOPS), BOTH),
    fixture("IP and TCP options", UNUSUAL, BOTH),
    fixture("mark in the TCP options", tcp(ACK, b"____", options=b"\x01X\x02\x01"), TO_DUT),
    fixture("mark behind the IP options", tcp(ACK, b"__X_", ip_options=NOPS[:4]), TO_DUT),
    fixture(
        "first fragment", tcp(SYN | RST, b"_X__" * 3, fragment=MORE), BOTH, delivered=False
    ),
    fixture("later fragment", tcp(SYN | RST, b"_X__", fragment=LATER), delivered=False),
)  # fmt: skip
"""Those that a host may send."""
MALFORMED = (
    fixture("IP header too short", begin_ip(0x44, tcp(SYN | RST, b"_X__"))),
    fixture("IP version 5", begin_ip(0x55, tcp(SYN | RST, b"_X__"))),
    fixture("TCP header too short", tcp(SYN | RST, b"_X__", tcp_words=4), FLAGGED),
    fixture("TCP header beyond the packet", tcp(ACK, b"_X__", tcp_words=15), TO_DUT),
    fixture("ends within TCP", tcp(SYN | RST, b"_X__")[:46], TO_DUT),
    fixture("ends before the mark", tcp(SYN | RST, b"_X__")[:55], FLAGGED),
    fixture("IP says it ends within TCP", ipv4(TCP, tcp(SYN | RST)[34:46]), TO_DUT),
)
"""IPv4 that nobody may send, as netfilter never sees it."""
STRANGE = (
    fixture("ARP", ethernet(0x0806, bytes(28))),
    fixture("IPv6 by its type", ethernet(0x86DD, tcp(SYN | RST, b"_X__")[14:])),
    fixture("a VLAN's tag", UNUSUAL[:12] + b"\x81\x00\x00\x01" + UNUSUAL[12:]),
)
"""What is not an IPv4, as far as the outermost type says."""
SHORT = (
    fixture("one byte of IP", tcp(SYN | RST, b"_X__")[:15]),
    fixture("ends within IP", tcp(SYN | RST, b"_X__")[:30]),
)
"""What the kernel makes no sk_buff of to test with."""
