"""Packets of flows, and what pipelines should make of them, computed without them."""

import struct
from dataclasses import dataclass

from ....frames import sum_of_words

SOURCE, DESTINATION = 0xC6120001, 0xC6130000
STATION = 0x0A0B0C0D0E0F
"""Who sends: each part of the address is another number."""
DEVICE = 0x020000000002
PORT = 1024
ETHERNET, IPV4, UDP = struct.Struct("!6s6sH"), struct.Struct("!BBHHHBBHII"), struct.Struct("!HHHH")


@dataclass(frozen=True, kw_only=True)
class Headers:
    """What a test looks at in a packet of UDP."""

    to: int = DEVICE
    by: int = STATION
    diffserv: int = 0
    identification: int = 0
    ttl: int = 64
    protocol: int = 17
    source: int = SOURCE
    destination: int = DESTINATION
    source_port: int = PORT
    checksum: int = 0

    def packet(self):
        ip = IPV4.pack(
            0x45, self.diffserv, 46, self.identification, 0, self.ttl, self.protocol, self.checksum,
            self.source, self.destination,
        )  # fmt: skip
        ethernet = ETHERNET.pack(self.to.to_bytes(6), self.by.to_bytes(6), 0x0800)
        return ethernet + ip + UDP.pack(self.source_port, 1024, 26, 0) + bytes(18)

    def summed(self):
        """The same with a right checksum."""
        right = 0xFFFF - sum_of_words(self.packet()[14:34])
        return Headers(**(self.__dict__ | {"checksum": right}))


def read(packet):
    to, by, _ = ETHERNET.unpack_from(packet)
    _, diffserv, _, identification, _, ttl, protocol, checksum, source, destination = (
        IPV4.unpack_from(packet, 14)
    )
    return Headers(
        to=int.from_bytes(to), by=int.from_bytes(by), diffserv=diffserv,
        identification=identification, ttl=ttl,
        protocol=protocol, source=source, destination=destination, checksum=checksum,
        source_port=UDP.unpack_from(packet, 34)[0],
    )  # fmt: skip


def of_flow(flow, **changes):
    return Headers(
        **({"destination": DESTINATION + flow, "source_port": PORT + flow} | changes)
    ).summed()


def tuple_bytes(headers):
    """What is hashed: fields of metadata, which lie in the order of the host."""
    return struct.pack(
        "<IIBHH", headers.source, headers.destination, headers.protocol, headers.source_port, 1024
    )


def crc32c(data):
    """CRC-32C as processors have it (RFC 3720, appendix B.4), from 0 and not inverted.

    DPDK calls it crc32.
    """
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc


def _rotated(word, by):
    return (word << by | word >> (32 - by)) & 0xFFFFFFFF


def jhash(data):
    """Jenkins' hashlittle of 2006 (lookup3.c), seed 0, for 13 to 24 bytes."""
    words = struct.unpack("<6I", data.ljust(24, b"\0"))
    a = b = c = 0xDEADBEEF + len(data) & 0xFFFFFFFF
    a, b, c = ((x + y) & 0xFFFFFFFF for x, y in zip((a, b, c), words[:3], strict=True))
    for by in (4, 6, 8, 16, 19, 4):
        a = (a - c) & 0xFFFFFFFF ^ _rotated(c, by)
        c = (c + b) & 0xFFFFFFFF
        a, b, c = b, c, a
    a, b, c = ((x + y) & 0xFFFFFFFF for x, y in zip((a, b, c), words[3:], strict=True))
    for by in (14, 11, 25, 16, 4, 14, 24):
        c = ((c ^ b) - _rotated(b, by)) & 0xFFFFFFFF
        a, b, c = b, c, a
    return b
