"""The packet that the lab's generator sends: UDP over IPv4, of flow 0."""

from __future__ import annotations

import struct

from linerate.measure.datapaths.swx.spec.generated.entries_text import (
    DEVICE,
    FLOW_ADDRESS,
    SENDER,
    SOURCE_ADDRESS,
)

PORT = 1024
"""Both ports of flow 0 (``SWX_PORT_FIRST`` in swx/native/ports/frame.h)."""
_ETHERNET, _IPV4, _UDP = struct.Struct("!6s6sH"), struct.Struct("!BBHHHBBHII"), struct.Struct("!4H")
_ETHERTYPE, _VERSION, _TTL, _PROTOCOL = 0x0800, 0x45, 64, 17
PACKET_BYTES = 60


def flow_frame() -> bytes:
    """Write the shortest packet of flow 0, without FCS; its checksums are 0.

    >>> len(flow_frame()), flow_frame()[12:14].hex()
    (60, '0800')
    """
    ip_bytes = PACKET_BYTES - _ETHERNET.size
    headers = (
        _ETHERNET.pack(DEVICE.to_bytes(6), SENDER.to_bytes(6), _ETHERTYPE)
        + _IPV4.pack(_VERSION, 0, ip_bytes, 0, 0, _TTL, _PROTOCOL, 0, SOURCE_ADDRESS, FLOW_ADDRESS)
        + _UDP.pack(PORT, PORT, ip_bytes - _IPV4.size, 0)
    )
    return headers.ljust(PACKET_BYTES, b"\0")
