"""How a card spreads flows over its queues: by ioctl.

Netlink can set neither before Linux 6.17. The ioctl takes a name, so whoever calls it checks the
interface's identity before and after.

References
----------
linux/ethtool.h: ethtool_rxfh_indir, ethtool_rxnfc.
"""

from __future__ import annotations

import ctypes
import fcntl
import socket
import struct

_SIOCETHTOOL = 0x8946
_GET_HASH, _SET_HASH, _GET_TABLE, _SET_TABLE = 0x29, 0x2A, 0x38, 0x39
_HASH = struct.Struct("=IIQ")
_HASH_BYTES = 256
"""Room for the whole of ethtool_rxnfc, of which the hash needs the head."""
UDP_OVER_IPV4 = 2
HASH_FIELDS = {"s": 1 << 4, "d": 1 << 5, "f": 1 << 6, "n": 1 << 7}
"""What goes into the hash, in ethtool's letters: addresses and ports, source and destination."""


def read_table(name: str) -> tuple[int, ...]:
    """Read the indirection table: queue of each value of the hash.

    Raises
    ------
    OSError
        The driver has none.
    """
    size = struct.unpack_from("=II", _ioctl(name, struct.pack("=II", _GET_TABLE, 0)))[1]
    block = struct.pack("=II", _GET_TABLE, size) + bytes(4 * size)
    return struct.unpack_from(f"={size}I", _ioctl(name, block), 8)


def set_table(name: str, queues: tuple[int, ...]) -> None:
    """Set the indirection table, of the size that it has."""
    _ioctl(name, struct.pack(f"=II{len(queues)}I", _SET_TABLE, len(queues), *queues))


def read_hash(name: str, flow: int) -> str:
    """Read what of a kind of packet goes into the hash, in ethtool's letters."""
    block = _HASH.pack(_GET_HASH, flow, 0).ljust(_HASH_BYTES, b"\0")
    bits = _HASH.unpack_from(_ioctl(name, block))[2]
    return "".join(letter for letter, bit in HASH_FIELDS.items() if bits & bit)


def set_hash(name: str, flow: int, letters: str) -> None:
    """Set what of a kind of packet goes into the hash."""
    bits = sum(HASH_FIELDS[letter] for letter in letters)
    _ioctl(name, _HASH.pack(_SET_HASH, flow, bits).ljust(_HASH_BYTES, b"\0"))


def _ioctl(name: str, block: bytes) -> bytes:
    data = ctypes.create_string_buffer(block, len(block))
    request = struct.pack("=16sQ16x", name.encode(), ctypes.addressof(data))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        fcntl.ioctl(made, _SIOCETHTOOL, request)
    return data.raw
