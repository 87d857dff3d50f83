"""Frames that no file holds: UDP of one size, or of the simple Internet mix."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from ipaddress import IPv4Address
from math import lcm

from linerate.errors import bad_input
from linerate.measure.objects.traffic.capture import PACKET_BYTES_MAX
from linerate.measure.objects.traffic.frames import (
    FRAMES_MAX,
    PLACES_MAX,
    Frames,
    frames_by_weight,
    frames_in_order,
)
from linerate.units import FCS_BYTES, FRAME_BYTES_MIN, packet_bytes

IMIX = ((7, 64), (4, 594), (1, 1518))
"""Pairs (weight, frame bytes) of the simple Internet mix."""

_ETHERNET = bytes.fromhex("0200000000020200000000010800")
SOURCE, DESTINATION = IPv4Address("198.18.0.1"), IPv4Address("198.19.0.1")
_IPV4_BYTES, _UDP_BYTES = 20, 8
_UDP, _TTL, _DISCARD = 17, 64, 9
_PORT_FIRST = 1024
"""Source port of the generator's first flow."""


def imix(flows: int = 1) -> Frames:
    """Build the simple Internet mix: 7 frames of 64 bytes, 4 of 594, 1 of 1518.

    Parameters
    ----------
    flows
        Source addresses; each sends the whole mix.
    """
    return _mix(IMIX, flows)


def of_size(frame_bytes: int, flows: int = 1) -> Frames:
    """Build frames of one size, FCS included.

    >>> of_size(64).mean_wire_bytes
    84.0
    """
    return _mix(((1, frame_bytes),), flows)


def of_slots(sizes: Sequence[int], flows: int) -> Frames:
    """Build the frames of a campaign's load: sizes and source ports in turn, each by itself.

    Parameters
    ----------
    sizes
        With FCS, one after the other.
    flows
        Distinct source ports.

    Raises
    ------
    BadInputError
        There are more different frames, or a longer turn, than a table of frames holds.
    """
    turn = lcm(len(sizes), flows)
    kinds = min(turn, len(set(sizes)) * flows)
    if kinds > FRAMES_MAX or turn + kinds > PLACES_MAX:
        raise bad_input(
            "flows", flows, why="in serial mode own objects get frames from a table",
            allowed=f"up to {FRAMES_MAX} different frames, sizes times flows",
            do="lower it, or use split mode",
        )  # fmt: skip
    ports = [_PORT_FIRST + place % flows for place in range(turn)]
    return frames_in_order(
        (
            _packet(SOURCE, packet_bytes(sizes[place % len(sizes)]), port)
            for place, port in enumerate(ports)
        ),
        turn,
    )


def _mix(sizes: tuple[tuple[int, int], ...], flows: int) -> Frames:
    frame_bytes_max = PACKET_BYTES_MAX + FCS_BYTES
    for _, frame_bytes in sizes:
        if not FRAME_BYTES_MIN <= frame_bytes <= frame_bytes_max:
            why = (
                "frames of several buffers are not supported"
                if frame_bytes > frame_bytes_max
                else "no lab takes such a frame"
            )
            raise bad_input(
                "traffic", frame_bytes, why=why, do="name another size",
                allowed=f"frames of {FRAME_BYTES_MIN}..{frame_bytes_max} bytes with FCS",
            )  # fmt: skip
    if not 1 <= flows <= FRAMES_MAX // len(sizes):
        raise bad_input("flows", flows, why="each flow needs frames of its own",
                        allowed=f"1..{FRAMES_MAX // len(sizes)}", do="lower it")  # fmt: skip
    return frames_by_weight([
        (_packet(SOURCE + flow, packet_bytes(frame_bytes)), weight)
        for weight, frame_bytes in sizes
        for flow in range(flows)
    ])  # fmt: skip


def _packet(source: IPv4Address, size: int, port: int = _PORT_FIRST) -> bytes:
    """Build a UDP packet to the discard port, with both checksums."""
    udp_bytes = size - len(_ETHERNET) - _IPV4_BYTES
    addresses = source.packed + DESTINATION.packed
    ip = struct.pack("!BBHHHBBH", 0x45, 0, _IPV4_BYTES + udp_bytes, 0, 0, _TTL, _UDP, 0)
    ip = ip[:10] + internet_checksum(ip + addresses) + addresses
    udp = struct.pack("!HHH", port, _DISCARD, udp_bytes)
    data = bytes(udp_bytes - _UDP_BYTES)
    pseudo = addresses + struct.pack("!HH", _UDP, udp_bytes)
    return _ETHERNET + ip + udp + internet_checksum(pseudo + udp + data) + data


def internet_checksum(covered: bytes) -> bytes:
    """Internet checksum (RFC 1071); where it would be 0, the other zero (RFC 768)."""
    total = sum(struct.unpack(f"!{len(covered) // 2}H", covered[: len(covered) // 2 * 2]))
    total += covered[-1] << 8 if len(covered) % 2 else 0
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return struct.pack("!H", 0xFFFF - total or 0xFFFF)
