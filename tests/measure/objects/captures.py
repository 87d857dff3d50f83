"""Captures as tcpdump writes them."""

import struct

MICROSECONDS, NANOSECONDS = 0xA1B2C3D4, 0xA1B23C4D
UDP = bytes.fromhex("020000000002020000000001080045000020") + bytes(24)


def capture(packets, *, order="<", magic=MICROSECONDS, link=1, missing=0):
    """Bytes of a capture file; ``missing`` bytes of each packet were cut by the snap length."""
    head = struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 65535, link)
    records = (
        struct.pack(f"{order}IIII", second, 0, len(packet) - missing, len(packet))
        + packet[: len(packet) - missing]
        for second, packet in enumerate(packets)
    )
    return head + b"".join(records)
