"""Read a capture in the classic pcap format, of Ethernet frames without FCS."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from linerate.errors import BadInputError, bad_input

CAPTURE_BYTES_MAX = 256 << 20
FIELD = "traffic"
"""What errors call it."""
PACKET_BYTES_MIN = 14
"""An Ethernet header."""
PACKET_BYTES_MAX = 2044
"""What fits into a page beside what the kernel and a program need there."""

_MAGICS = {
    b"\xd4\xc3\xb2\xa1": "<", b"\x4d\x3c\xb2\xa1": "<",  # microseconds, nanoseconds
    b"\xa1\xb2\xc3\xd4": ">", b"\xa1\xb2\x3c\x4d": ">",
}  # fmt: skip
_PCAPNG, _GZIP, _ZSTD = b"\x0a\x0d\x0d\x0a", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_HEADER_BYTES = 24
_LINK_AT = 20
_ETHERNET = 1
_HAS_FCS, _FCS_SHIFT = 0x04000000, 28
_LINKS = {0: "BSD loopback", 101: "raw IP", 105: "802.11", 113: "Linux cooked", 127: "802.11",
          228: "raw IPv4", 229: "raw IPv6", 276: "Linux cooked"}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """What a capture holds, from its first packet on."""

    packets: tuple[bytes, ...]
    """In order, without FCS."""
    packets_total: int
    """Packets of the file; more than there are of ``packets`` where it was not read further."""


@dataclass(slots=True)
class _Faults:
    """Packets that cannot be used, over the whole file."""

    large: int = 0
    cut: int = 0


def parse_capture(path: Path, data: bytes, packets_max: int) -> Capture:
    """Parse the bytes of a capture.

    Parameters
    ----------
    path
        What errors name.
    data
        All of the file: one packet that cannot be used refuses it.
    packets_max
        Packets that are kept.

    Raises
    ------
    BadInputError
        No pcap, truncated, empty, not Ethernet, packets cut by the snap length, too large or short.
    """
    order, fcs_bytes = _header(path, data)
    packets: list[bytes] = []
    total, faults = 0, _Faults()
    shortest, longest = PACKET_BYTES_MIN + fcs_bytes, PACKET_BYTES_MAX + fcs_bytes
    for offset, kept_bytes, captured_bytes in _records(path, data, order):
        total += 1
        if total <= packets_max:
            packets.append(data[offset : offset + kept_bytes - fcs_bytes])
        if kept_bytes == captured_bytes and shortest <= kept_bytes <= longest:
            continue  # soon: of these there are millions
        whole_bytes = max(kept_bytes, captured_bytes)
        if whole_bytes < shortest:
            raise _refused(path, f"packet {total} has {whole_bytes} bytes",
                           f"{PACKET_BYTES_MIN}..{PACKET_BYTES_MAX}", "leave it out")  # fmt: skip
        faults.large += whole_bytes > longest
        faults.cut += kept_bytes < whole_bytes
    _check(path, total, faults)
    return Capture(packets=tuple(packets), packets_total=total)


def _header(path: Path, data: bytes) -> tuple[str, int]:
    """Byte order, and how many bytes of FCS end each packet."""
    if not data:
        raise _refused(path, "it is empty", "a capture with packets", "capture again")
    if data.startswith(_PCAPNG):
        raise _refused(path, "it is pcapng", "classic pcap",
                       "convert it: editcap -F pcap in.pcapng out.pcap")  # fmt: skip
    if data.startswith((_GZIP, _ZSTD)):
        raise _refused(path, "it is compressed", "classic pcap", "decompress it first")
    order = _MAGICS.get(data[:4])
    if order is None:
        raise _refused(path, "it is not a pcap file", "classic pcap, or frames in a .json file",
                       "capture with tcpdump -w, or correct the path")  # fmt: skip
    if len(data) < _HEADER_BYTES:
        raise _refused(path, "it is truncated within its header", "the whole file", "copy it again")
    (link,) = struct.unpack_from(f"{order}I", data, _LINK_AT)
    kind = link & 0xFFFF
    if kind != _ETHERNET:
        known = _LINKS.get(kind, f"link type {kind}")
        raise _refused(path, f"its packets are {known}, not Ethernet", "Ethernet (link type 1)",
                       "capture on one Ethernet interface, not on `any`")  # fmt: skip
    return order, 2 * (link >> _FCS_SHIFT) if link & _HAS_FCS else 0


def _records(path: Path, data: bytes, order: str) -> Iterator[tuple[int, int, int]]:
    """Yield of each packet its offset, its bytes that are there, and those that it had."""
    header, place, number = struct.Struct(f"{order}8xII"), _HEADER_BYTES, 0
    unpack_from, header_bytes, end = header.unpack_from, header.size, len(data)
    try:
        while place < end:
            number += 1
            kept_bytes, captured_bytes = unpack_from(data, place)
            begins = place + header_bytes
            place = begins + kept_bytes
            if place > end:
                raise struct.error
            yield begins, kept_bytes, captured_bytes
    except struct.error:
        raise _refused(path, f"it is truncated within packet {number}", "the whole file",
                       "copy it again, or end the capture before") from None  # fmt: skip


def _check(path: Path, total: int, faults: _Faults) -> None:
    if not total:
        raise _refused(path, "it holds no packet", "a capture with packets", "capture again")
    if faults.large:
        raise _refused(
            path, f"{faults.large} of {total} packets have more than {PACKET_BYTES_MAX} bytes; "
            "frames of several buffers are not supported", f"up to {PACKET_BYTES_MAX} bytes",
            "capture with gro, gso and tso off (ethtool -K), or leave them out",
        )  # fmt: skip
    if faults.cut:
        raise _refused(path, f"{faults.cut} of {total} packets were cut when captured",
                       "whole packets", "capture with tcpdump -s 0")  # fmt: skip


def _refused(path: Path, why: str, allowed: str, do: str) -> BadInputError:
    return bad_input(FIELD, path, why=why, allowed=allowed, do=do)
