"""Messages to and from the kernel by netlink, and the attributes that they are made of.

References
----------
RFC 3549, Linux Netlink as an IP Services Protocol; linux/netlink.h, linux/genetlink.h.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass

ROUTE, NETFILTER, GENERIC = 0, 12, 16
"""Protocols: links, routes and queueing disciplines; nftables; everything with a name."""
REQUEST, ACK, DUMP = 0x1, 0x4, 0x300
_ERROR, _DONE = 2, 3
_SOL_NETLINK, _CAP_ACK, _EXT_ACK = 270, 10, 11
_NESTED, _KIND_MASK = 0x8000, 0x3FFF
_HEADER = struct.Struct("=IHHII")
_ATTRIBUTE = struct.Struct("=HH")
_EXT_ACK_MESSAGE = 1
_RECEIVE_BYTES = 1 << 17
_ANSWER_SECONDS = 5.0
_GET_FAMILY, _FAMILY_ID, _FAMILY_NAME, _CONTROLLER = 3, 1, 2, 16


def attribute(kind: int, value: bytes = b"") -> bytes:
    """Pack one attribute, padded to four bytes.

    >>> attribute(3, b"ab").hex()
    '0600030061620000'
    """
    return _ATTRIBUTE.pack(len(value) + 4, kind) + value + bytes(-len(value) % 4)


def nest(kind: int, *inner: bytes) -> bytes:
    """Pack attributes into one that holds them."""
    return attribute(kind | _NESTED, b"".join(inner))


def attributes(body: bytes) -> Iterator[tuple[int, bytes]]:
    r"""Unpack attributes in order, kind and value.

    >>> list(attributes(attribute(1, b"abc") + nest(2, attribute(7))))
    [(1, b'abc'), (2, b'\x04\x00\x07\x00')]
    """
    start = 0
    while start + 4 <= len(body):
        size, kind = _ATTRIBUTE.unpack_from(body, start)
        if size < 4:
            raise OSError(0, "the kernel's answer has an attribute without a size")
        yield kind & _KIND_MASK, body[start + 4 : start + size]
        start += size + -size % 4


def number(value: bytes) -> int:
    """Read an unsigned attribute of any width, in the machine's byte order."""
    return int.from_bytes(value, sys.byteorder)


def text(value: bytes) -> str:
    """Read a string attribute."""
    return value.partition(b"\0")[0].decode(errors="replace")


@dataclass(slots=True)
class Netlink:
    """One socket to the kernel, in the network namespace it was opened in."""

    _socket: socket.socket

    @classmethod
    def open(cls, protocol: int) -> Netlink:
        """Open a socket; it closes when this object goes or a ``with`` block ends."""
        made = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, protocol)
        made.settimeout(_ANSWER_SECONDS)
        made.setsockopt(_SOL_NETLINK, _CAP_ACK, 1)
        made.setsockopt(_SOL_NETLINK, _EXT_ACK, 1)
        made.bind((0, 0))
        return cls(made)

    def __enter__(self) -> Netlink:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def ask(self, kind: int, body: bytes, flags: int = ACK) -> list[bytes]:
        """Send one message and return the bodies of its answers, up to the closing one.

        Raises
        ------
        OSError
            The kernel refused; the words are its own where it has any.
        """
        size = _HEADER.size + len(body)
        self._socket.send(_HEADER.pack(size, kind, REQUEST | flags, 1, 0) + body)
        answers: list[bytes] = []
        while self._take(self._socket.recv(_RECEIVE_BYTES), answers):
            pass
        return answers

    def family(self, name: str) -> int:
        """Look up the number of a generic family, which messages to it have as their kind."""
        body = struct.pack("=BBH", _GET_FAMILY, 1, 0) + attribute(
            _FAMILY_NAME, name.encode() + b"\0"
        )
        answer = self.ask(_CONTROLLER, body)[0]
        return number(dict(attributes(answer[4:]))[_FAMILY_ID])

    def _take(self, received: bytes, answers: list[bytes]) -> bool:
        """Add the answers in one datagram; whether more are to come."""
        start = 0
        while start + _HEADER.size <= len(received):
            size, kind, flags, _, _ = _HEADER.unpack_from(received, start)
            body = received[start + _HEADER.size : start + size]
            if kind in (_ERROR, _DONE):
                _check(body, flags)
                return False
            answers.append(body)
            start += size + -size % 4
        return True


def _check(body: bytes, flags: int) -> None:
    """Raise what an acknowledgement or the end of a dump says went wrong."""
    code = struct.unpack_from("=i", body)[0] if len(body) >= 4 else 0
    if code >= 0:
        return
    words = ""
    if flags & 0x200 and len(body) > 20:
        words = text(dict(attributes(body[20:])).get(_EXT_ACK_MESSAGE, b""))
    raise OSError(-code, words or os.strerror(-code))
