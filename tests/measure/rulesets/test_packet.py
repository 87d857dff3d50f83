"""Where headers of a packet lie."""

from __future__ import annotations

import struct

from hypothesis import given
from hypothesis import strategies as st

from linerate.measure.rulesets.packet import parse_packet

ETHERNET = bytes(12) + b"\x08\x00"


def ipv4(protocol: int, payload: bytes, *, options: bytes = b"", fragment: int = 0) -> bytes:
    words = (20 + len(options)) // 4
    total = 20 + len(options) + len(payload)
    return ETHERNET + struct.pack(
        "!BBHHHBBHII", 0x40 | words, 0, total, 0, fragment, 64, protocol, 0, 1, 2
    ) + options + payload  # fmt: skip


@given(st.binary(max_size=200), st.sampled_from([b"\x08\x00", b"\x86\xdd", b"\x08\x06"]))
def test_any_bytes_are_a_packet(data: bytes, ethertype: bytes) -> None:
    packet = parse_packet(bytes(12) + ethertype + data)
    assert packet.transport is None or 14 < packet.transport < len(packet.data)


def test_options_move_the_transport_header() -> None:
    packet = parse_packet(ipv4(17, struct.pack("!HHHH", 7, 9, 8, 0), options=bytes(8)))
    assert packet.bits("th", 16, 16) == 9


def test_a_later_fragment_has_no_ports() -> None:
    packet = parse_packet(ipv4(17, bytes(8), fragment=100))
    assert (packet.protocol, packet.bits("th", 16, 16)) == (17, None)


def test_what_is_cut_short_has_no_headers() -> None:
    packet = parse_packet(ipv4(6, b"")[:30])
    assert (packet.protocol, packet.transport) == (None, None)
    assert parse_packet(b"").bits("ll", 0, 48) is None


def test_padding_is_no_part_of_the_length() -> None:
    assert parse_packet(ipv4(17, bytes(8)) + bytes(18)).end == 14 + 28


def test_extension_headers_of_ipv6_are_passed() -> None:
    head = struct.pack("!IHBB", 6 << 28, 16, 0, 64) + bytes(32)
    frame = (
        bytes(12)
        + b"\x86\xdd"
        + head
        + bytes([17, 0])
        + bytes(6)
        + struct.pack("!HHHH", 1, 53, 8, 0)
    )
    packet = parse_packet(frame)
    assert (packet.protocol, packet.bits("th", 16, 16)) == (17, 53)
