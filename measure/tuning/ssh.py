"""Which other machines hold an SSH session with this one."""

from __future__ import annotations

import os
import re
import socket
import struct
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

Address = IPv4Address | IPv6Address
_ESTABLISHED, _PORT = "01", 22


def session_peers(root: Path = Path("/")) -> frozenset[Address]:
    """Addresses of every SSH client that is connected, and of this session's own.

    ``SSH_CONNECTION`` names this session's; sudo drops it, and another administrator's session is
    worth as much, so TCP connections that belong to an sshd, or go to port 22, count too.
    """
    sockets = _sshd_sockets(root)
    found = {peer for line in _connections(root) if (peer := _ssh_peer(line, sockets))}
    own = os.environ.get("SSH_CONNECTION", "").split()
    with suppress(IndexError, ValueError):  # not set, or not by sshd
        found.add(ip_address(own[0].partition("%")[0]))
    return frozenset(_plain(peer) for peer in found if not _plain(peer).is_loopback)


def _connections(root: Path) -> list[list[str]]:
    """Fields of each TCP connection of this network namespace."""
    lines: list[list[str]] = []
    for name in ("tcp", "tcp6"):
        with suppress(OSError):  # a kernel without IPv6
            text = (root / "proc/self/net" / name).read_text()
            lines += [line.split() for line in text.splitlines()[1:]]
    return lines


def _ssh_peer(fields: list[str], sshd_sockets: frozenset[str]) -> Address | None:
    """Other end of a connection if sshd holds it."""
    local, remote, state, inode = fields[1], fields[2], fields[3], fields[9]
    if state != _ESTABLISHED:
        return None
    if inode not in sshd_sockets and int(local.partition(":")[2], 16) != _PORT:
        return None
    return parse_address(remote.partition(":")[0])


def parse_address(words: str) -> Address:
    """Read an address as /proc/net/tcp writes it: 32-bit words in the machine's byte order.

    >>> import sys
    >>> str(parse_address("0100007F" if sys.byteorder == "little" else "7F000001"))
    '127.0.0.1'
    """
    numbers = [int(words[start : start + 8], 16) for start in range(0, len(words), 8)]
    packed = struct.pack(f"={len(numbers)}I", *numbers)
    family = socket.AF_INET if len(packed) == 4 else socket.AF_INET6
    return ip_address(socket.inet_ntop(family, packed))


def _plain(address: Address) -> Address:
    """Take the IPv4 address out of ::ffff:a.b.c.d, which a socket of both families shows."""
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped
    return address


def _sshd_sockets(root: Path) -> frozenset[str]:
    """Inodes of the sockets of every sshd that this process may look into."""
    found: set[str] = set()
    for comm in (root / "proc").glob("[0-9]*/comm"):
        with suppress(OSError):  # it ended meanwhile, or is another user's
            if comm.read_text().startswith("sshd"):
                for entry in (comm.parent / "fd").iterdir():
                    with suppress(OSError):
                        found.update(re.findall(r"^socket:\[(\d+)\]$", os.readlink(entry)))
    return frozenset(found)
