"""What is hidden from a process: without it nobody knows whether others use an interface."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from linerate.errors import cannot_here
from linerate.measure.system.machine import CAPABILITIES, is_capable

NEEDED = {
    "CAP_NET_ADMIN": "settings, and what rules and programs others have",
    "CAP_DAC_OVERRIDE": "settings that are root's files, and tables of iptables-legacy",
    "CAP_NET_RAW": "rules in tables of iptables-legacy",
    "CAP_SYS_PTRACE": "connections of an sshd",
}
"""Capabilities with which ``linerate tune`` needs no root, and for what."""
_LEGACY = ("ip_tables_names", "ip6_tables_names")


def refuse_blind(root: Path = Path("/")) -> None:
    """Refuse to change anything while this process may not see who uses it.

    Raises
    ------
    CannotHereError
        Something is hidden; the capability that shows it is named.
    """
    for name in hidden(root):
        raise cannot_here("root", why=f"{name} shows {NEEDED[name]}, and who uses an interface "
                          "must be seen before it is changed",
                          do="run it with sudo, or with that capability")  # fmt: skip


def hidden(root: Path = Path("/")) -> Iterator[str]:
    """Name the capabilities whose lack hides something from this process."""
    status = (root / "proc/self/status").read_text()
    if not is_capable(status, CAPABILITIES["CAP_NET_ADMIN"]):
        yield "CAP_NET_ADMIN"
    tables = (root / "proc/thread-self/net" / name for name in _LEGACY)
    if any(_closed(table) for table in tables):
        yield "CAP_DAC_OVERRIDE"
    if any(_closed(fds) for fds in _of_sshd(root)):
        yield "CAP_SYS_PTRACE"


def _of_sshd(root: Path) -> Iterator[Path]:
    for comm in (root / "proc").glob("[0-9]*/comm"):
        try:
            if comm.read_text().startswith("sshd"):
                yield comm.parent / "fd"
        except OSError:
            continue  # it ended meanwhile


def _closed(path: Path) -> bool:
    """Whether a file, or what a folder's links lead to, may not be read."""
    try:
        if not path.is_dir():
            path.read_bytes()
            return False
        for entry in path.iterdir():
            entry.readlink()
    except PermissionError:
        return True
    except OSError:
        pass  # it is not there, or ended meanwhile
    return False
