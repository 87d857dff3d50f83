"""Network cards by PCI address: which of them a pipeline may have, and why it may not.

Giving a card away from the kernel is the user's step. Nothing here binds one to another driver.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from contextlib import suppress
from pathlib import Path

from linerate.errors import bad_input, cannot_here

ADDRESS = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]")
DRIVER = "vfio-pci"
"""The only driver taken: when a process is killed, the kernel ends the card's DMA and resets it.
Under uio a card goes on writing to memory that is another's by then."""
_NETWORK_CLASS = "0x02"
_ANYWHERE = {"00000000", "0" * 32}


def check_card(address: str, root: Path = Path("/")) -> None:
    """Refuse a card that is not there, is the kernel's, or is not fenced in.

    Parameters
    ----------
    address
        As in ``0000:3b:00.0``.
    root
        Where ``sys``, ``proc`` and ``dev`` are.

    Raises
    ------
    BadInputError
        No address, no such card, or one that this machine is reached by.
    CannotHereError
        It is bound to another driver than vfio-pci, or has no IOMMU before it.
    """
    folder = root / "sys/bus/pci/devices" / _checked(address)
    if not folder.is_dir() or not _is_network(folder):
        raise bad_input(
            "device", address, why="no network card has this address",
            allowed=", ".join(_cards(root)) or "none: this machine has no such card",
            do="see dpdk-devbind.py --status",
        )  # fmt: skip
    _check_reached(address, folder, root)
    _check_driver(address, folder)
    _check_fence(address, folder, root)


def _checked(address: str) -> str:
    if ADDRESS.fullmatch(address):
        return address
    raise bad_input(
        "device", repr(address), why="not a PCI address", allowed="as in 0000:3b:00.0",
        do="see dpdk-devbind.py --status",
    )  # fmt: skip


def _is_network(folder: Path) -> bool:
    return (folder / "class").read_text().startswith(_NETWORK_CLASS)


def _cards(root: Path) -> list[str]:
    folders = sorted((root / "sys/bus/pci/devices").glob("*"))
    return [folder.name for folder in folders if _is_network(folder)]


def _interfaces(folder: Path) -> set[str]:
    """Names of a card's interfaces; a virtio card's lie one folder deeper."""
    return {path.name for pattern in ("net/*", "*/net/*") for path in folder.glob(pattern)}


def _check_reached(address: str, folder: Path, root: Path) -> None:
    reasons = {name: "the default route" for name in default_route_interfaces(root)}
    reasons |= {name: "your SSH session" for name in ssh_interfaces(root)}
    for name in sorted(_interfaces(folder) & set(reasons)):
        raise bad_input(
            "device", address, why=f"its interface {name} carries {reasons[name]}: a pipeline "
            "would cut this machine off", allowed="another card", do="name one that is free",
        )  # fmt: skip


def _check_driver(address: str, folder: Path) -> None:
    link = folder / "driver"
    driver = link.resolve().name if link.exists() else "no driver"
    if driver == DRIVER:
        return
    interfaces = ", ".join(sorted(_interfaces(folder)))
    raise cannot_here(
        f"device={address}", why=f"bound to {driver}" + (f" ({interfaces})" if interfaces else "")
        + f", and a pipeline needs {DRIVER}; linerate binds no card itself",
        do=f"where you can spare it: dpdk-devbind.py -b {DRIVER} {address}",
    )  # fmt: skip


def _check_fence(address: str, folder: Path, root: Path) -> None:
    group = folder / "iommu_group"
    if group.exists() and (root / "dev/vfio" / group.resolve().name).exists():
        return
    raise cannot_here(
        f"device={address}", why="no IOMMU stands before it, so that it could write anywhere, "
        "also when its process is gone", do="turn the IOMMU on in the firmware and the kernel "
        "(intel_iommu=on, amd_iommu=on), or use another port",
    )  # fmt: skip


def default_route_interfaces(root: Path = Path("/")) -> set[str]:
    """Interfaces that a default route leaves by, of IPv4 and of IPv6."""
    found = set()
    for words in _lines(root / "proc/net/route"):
        if words[1] in _ANYWHERE and words[7] in _ANYWHERE:
            found.add(words[0])
    for words in _lines(root / "proc/net/ipv6_route"):
        if words[0] in _ANYWHERE and words[1] == "00":
            found.add(words[9])
    return found - {"lo"}


def _lines(path: Path) -> list[list[str]]:
    try:
        return [line.split() for line in path.read_text().splitlines()]
    except OSError:
        return []  # a kernel without that protocol


def ssh_interfaces(root: Path = Path("/")) -> set[str]:
    """Interface by which whoever is logged in here by SSH is reached; empty where nobody is."""
    client = _ssh_client(root)
    if not client:
        return set()
    with suppress(OSError, ValueError, LookupError, subprocess.TimeoutExpired):
        done = subprocess.run(
            ["ip", "-j", "route", "get", client], capture_output=True, text=True, timeout=5.0,
            check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return {json.loads(done.stdout)[0]["dev"]}
    return set()


def _ssh_client(root: Path) -> str:
    """Address that the session of this process came from; sudo hides it, its parents know."""
    pid = str(os.getpid())
    while pid not in ("0", ""):
        try:
            environment = (root / "proc" / pid / "environ").read_bytes()
            status = (root / "proc" / pid / "status").read_text()
        except OSError:
            return ""
        for variable in environment.split(b"\0"):
            if variable.startswith(b"SSH_CONNECTION="):
                return variable.partition(b"=")[2].split()[0].decode()
        (pid,) = re.findall(r"^PPid:\s*(\d+)", status, re.MULTILINE)
    return ""
