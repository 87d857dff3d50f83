"""Packet sockets (packet(7)): each takes a copy of every frame of its interface."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

_SOCKETS = Path("/proc/thread-self/net/packet")
ANY = 0
"""Number in place of an interface's where a socket takes the frames of all."""


def packet_sockets() -> dict[int, tuple[str, ...]]:
    """Name who receives the frames of an interface, by its number; `ANY` for those of all.

    A socket that only sends, or that holds a card promiscuous, receives nothing and is left out.
    """
    interfaces: dict[int, int] = {}
    for line in _SOCKETS.read_text().splitlines()[1:]:
        _, _, _, protocol, index, receives, *_, socket = line.split()
        if int(protocol, 16) and int(receives):
            interfaces[int(socket)] = int(index)
    owners = dict(_owners(interfaces)) if interfaces else {}
    found: dict[int, set[str]] = {}
    for inode, interface in interfaces.items():
        owner = owners.get(inode, "a process that is not seen here")
        found.setdefault(interface, set()).add(owner)
    return {index: tuple(sorted(names)) for index, names in found.items()}


def _owners(inodes: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Name a process for each of these sockets that has one."""
    left = {f"socket:[{inode}]": inode for inode in inodes}
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            inode = left.pop(os.readlink(link), None)
            if inode is not None:
                process = link.parts[2]
                name = Path(f"/proc/{process}/comm").read_text().strip()
                yield inode, f"{name}, process {process}"
        except OSError:
            continue  # it ended, or is another user's
