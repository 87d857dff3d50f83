"""Network cards by PCI address: which of them DPDK may have here, and why it may not.

Giving a card away from the kernel is the user's step. Nothing here binds one to another driver.
"""

from __future__ import annotations

import re
from pathlib import Path

from linerate.errors import bad_input, cannot_here
from linerate.measure.tuning.interface import Interface, namespace_inode
from linerate.measure.tuning.refusals import Surroundings, look_around, objections

ADDRESS = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]")
DRIVER = "vfio-pci"
"""The only driver taken: when a process is killed, the kernel ends the card's DMA and resets it.
Under uio a card goes on writing to memory that is another's by then."""
_NETWORK_CLASS = "0x02"


def is_card(name: str) -> bool:
    """Whether an interface is named by the PCI address of its card."""
    return ADDRESS.fullmatch(name) is not None


def check_card(address: str, root: Path = Path("/"), around: Surroundings | None = None) -> None:
    """Refuse a card that is not there, is the kernel's, or is not fenced in.

    Parameters
    ----------
    address
        As in ``0000:3b:00.0``.
    root
        Where ``sys`` and ``dev`` are.
    around
        What this network namespace holds; looked up if left out.

    Raises
    ------
    BadInputError
        No address, no such card, or one that something else lives on: a default route, an SSH
        session, somebody's program.
    CannotHereError
        It is bound to another driver than vfio-pci, or has no IOMMU before it.
    """
    check_address(address)
    folder = root / "sys/bus/pci/devices" / address
    if not folder.is_dir() or not _is_network(folder):
        raise bad_input(
            "device", address, why="no network card has this address",
            allowed=", ".join(_cards(root)) or "none: this machine has no such card",
            do="see dpdk-devbind.py --status",
        )  # fmt: skip
    _check_free(address, folder, around or look_around())
    _check_driver(address, folder)
    _check_fence(address, folder, root)


def check_address(address: str) -> None:
    """Refuse what is not a PCI address."""
    if not is_card(address):
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


def _check_free(address: str, folder: Path, around: Surroundings) -> None:
    interfaces, namespace = _interfaces(folder), namespace_inode()
    for link in around.links:
        if link.name not in interfaces:
            continue
        interface = Interface(name=link.name, index=link.index, mac=link.mac, namespace=namespace)
        if reasons := tuple(objections(interface, around)):
            raise bad_input(
                "device", address, why=f"its interface is {link.name}, and {'; '.join(reasons)}",
                allowed="a card that nothing else uses", do="name another",
            )  # fmt: skip


def _check_driver(address: str, folder: Path) -> None:
    link = folder / "driver"
    driver = link.resolve().name if link.exists() else "no driver"
    if driver == DRIVER:
        return
    interfaces = ", ".join(sorted(_interfaces(folder)))
    raise cannot_here(
        f"device={address}", why=f"bound to {driver}" + (f" ({interfaces})" if interfaces else "")
        + f", and DPDK is to have it by {DRIVER}; linerate binds no card itself",
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
