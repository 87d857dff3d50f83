"""What is set up of the kernel's netfilter by netlink, in the device's namespace.

Formats as the kernel's headers nfnetlink.h, nfnetlink_conntrack.h and nfnetlink_log.h give them.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from ipaddress import IPv4Address
from typing import NamedTuple

from linerate.errors import LinerateError
from linerate.measure.rulesets.translation import Translate

NETLINK_NETFILTER = 12
CLONE_NEWNET = 0x40000000
REQUEST_ACK, CREATE = 0x1 | 0x4, 0x400
NESTED = 0x8000
CT_NEW, LOG_CONFIG = 1 << 8, 4 << 8 | 1
"""Messages: subsystem and kind."""
NAT_OF = {"source": 6, "destination": 13}
"""Attribute of a flow by the side that is translated."""
SEEN_REPLY, ASSURED, CONFIRMED = 1 << 1, 1 << 2, 1 << 3
"""States of a flow that was answered (enum ip_conntrack_status)."""
FLOW_SECONDS = 600
TCP_ESTABLISHED, TCP_LIBERAL = 3, 0x08
"""State of a TCP flow (enum tcp_conntrack), and that any sequence number is taken for its own."""
LOG_BIND, LOG_COPY_PACKET, LOG_BYTES_MAX = 1, 2, 0xFFFF
TCP, UDP = 6, 17
"""Protocols of flows that are written down."""


class Flow(NamedTuple):
    """A flow in one direction."""

    protocol: int
    source: IPv4Address
    source_port: int
    destination: IPv4Address
    destination_port: int
    translations: tuple[Translate, ...] = ()
    """What it is translated into, with an address each."""

    @property
    def answers(self) -> Flow:
        """The other direction."""
        return Flow(self.protocol, self.destination, self.destination_port,
                    self.source, self.source_port)  # fmt: skip


def establish(netns: str, flows: Sequence[Flow]) -> None:
    """Write flows into the connection table of a namespace, as answered before.

    Raises
    ------
    LinerateError
        The kernel refused one.
    """
    with _open_in(netns) as link:
        for flow in flows:
            _ask(link, CT_NEW, CREATE, struct.pack("!BBH", socket.AF_INET, 0, 0) + b"".join((
                _tuple(1, flow),
                _tuple(2, flow.answers),
                *(_translation(each) for each in flow.translations),
                _attribute(3, struct.pack("!I", SEEN_REPLY | ASSURED | CONFIRMED)),
                _tcp_established() if flow.protocol == TCP else b"",
                _attribute(7, struct.pack("!I", FLOW_SECONDS)),
            )))  # fmt: skip


@contextmanager
def listening(netns: str, groups: Sequence[int]) -> Iterator[None]:
    """Listen to groups that rules log to, and never read: as whoever cannot keep up with a load.

    Raises
    ------
    LinerateError
        The kernel refused.
    """
    with ExitStack() as stack:
        for group in groups:
            link = stack.enter_context(_open_in(netns))
            head = struct.pack("!BBH", socket.AF_UNSPEC, 0, group)
            _ask(link, LOG_CONFIG, 0, head + _attribute(1, bytes([LOG_BIND])))
            mode = struct.pack("!IBB", LOG_BYTES_MAX, LOG_COPY_PACKET, 0)
            _ask(link, LOG_CONFIG, 0, head + _attribute(2, mode))
        yield


def _open_in(netns: str) -> socket.socket:
    """Open a socket in another namespace: by a thread that goes there and ends."""
    made: list[socket.socket | OSError] = []

    def go() -> None:
        try:
            fd = os.open(netns, os.O_RDONLY | os.O_CLOEXEC)
            try:
                if ctypes.CDLL(None, use_errno=True).setns(fd, CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
            finally:
                os.close(fd)
            link = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_NETFILTER)
            link.bind((0, 0))
            made.append(link)
        except OSError as error:
            made.append(error)

    thread = threading.Thread(target=go)
    thread.start()
    thread.join()
    (found,) = made
    if isinstance(found, OSError):
        raise LinerateError(f"netlink in {netns}: {found.strerror}")
    return found


def _ask(link: socket.socket, kind: int, flags: int, body: bytes) -> None:
    """Send a message and take its answer, an error number of 0 or more."""
    link.sendall(struct.pack("=IHHII", 16 + len(body), kind, REQUEST_ACK | flags, 1, 0) + body)
    (error,) = struct.unpack_from("=i", link.recv(4096), 16)
    if error:
        raise LinerateError(f"netlink: the kernel refuses message {kind:#x}: {os.strerror(-error)}")


def _tuple(kind: int, flow: Flow) -> bytes:
    addresses = _attribute(1, flow.source.packed) + _attribute(2, flow.destination.packed)
    return _attribute(kind | NESTED, b"".join((
        _attribute(1 | NESTED, addresses),
        _attribute(2 | NESTED, _attribute(1, bytes([flow.protocol]))
                   + _attribute(2, struct.pack("!H", flow.source_port))
                   + _attribute(3, struct.pack("!H", flow.destination_port))),
    )))  # fmt: skip


def _translation(to: Translate) -> bytes:
    assert to.address
    parts = _attribute(1, to.address.packed) + _attribute(2, to.address.packed)
    if to.port is not None:
        port = struct.pack("!H", to.port)
        parts += _attribute(3 | NESTED, _attribute(1, port) + _attribute(2, port))
    return _attribute(NAT_OF[to.side] | NESTED, parts)


def _tcp_established() -> bytes:
    liberal = bytes([TCP_LIBERAL, TCP_LIBERAL])
    return _attribute(4 | NESTED, _attribute(1 | NESTED, b"".join((
        _attribute(1, bytes([TCP_ESTABLISHED])), _attribute(4, liberal), _attribute(5, liberal),
    ))))  # fmt: skip


def _attribute(kind: int, value: bytes) -> bytes:
    r"""Pack one attribute, padded to four bytes.

    >>> _attribute(1, b"\x11")[4:]
    b'\x11\x00\x00\x00'
    """
    return struct.pack("=HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)
