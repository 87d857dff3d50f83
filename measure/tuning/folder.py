"""An interface's folder in /sys, held open: a rename cannot put another one in its place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from linerate.errors import LinerateError
from linerate.measure.tuning.interface import Interface

_READ_BYTES = 65536
CLASS = Path("/sys/class/net")


@dataclass(frozen=True, slots=True)
class Folder:
    """An open folder of small files, each one setting."""

    descriptor: int

    def read(self, name: str) -> str:
        """Content of a file, stripped.

        Raises
        ------
        OSError
            It is missing, or the kernel does not say.
        """
        opened = os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.descriptor)
        with os.fdopen(opened, "rb", buffering=0) as file:
            return file.read(_READ_BYTES).decode(errors="replace").strip()

    def write(self, name: str, text: str) -> None:
        """Write a setting in one call, as the kernel takes it."""
        opened = os.open(name, os.O_WRONLY | os.O_CLOEXEC, dir_fd=self.descriptor)
        with os.fdopen(opened, "wb", buffering=0) as file:
            file.write(text.encode())

    def names(self, name: str) -> list[str]:
        """List a folder inside, by the numbers that the names end in."""
        opened = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self.descriptor)
        try:
            return sorted(os.listdir(opened), key=lambda entry: (len(entry), entry))
        finally:
            os.close(opened)


@contextmanager
def open_folder(interface: Interface) -> Iterator[Folder]:
    """Open the folder of an interface and make sure that it is that interface's.

    /sys shows the network namespace that it was mounted in, which need not be this process's, and
    names move; so number and address in the folder are compared before anything else is done.

    Raises
    ------
    LinerateError
        The folder is another interface's, or there is none.
    """
    try:
        opened = os.open(CLASS / interface.name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise _not_shown(interface, error.strerror or "missing") from error
    try:
        folder = Folder(opened)
        seen = (folder.read("ifindex"), folder.read("address"))
        if seen != (str(interface.index), interface.mac):
            raise _not_shown(interface, f"it is number {seen[0]}, address {seen[1]}")
        yield folder
    finally:
        os.close(opened)


def _not_shown(interface: Interface, seen: str) -> LinerateError:
    return LinerateError(
        f"interface={interface.name}: {CLASS / interface.name} is not that of number "
        f"{interface.index}, address {interface.mac} ({seen}): /sys belongs to another network "
        "namespace, or the interface was renamed; enter the namespace by ip netns exec, which "
        "mounts its own /sys, or start again"
    )
