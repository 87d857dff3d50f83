"""Settings of an interface that only files of /sys have: NAPI's patience, which core takes what."""

from __future__ import annotations

import errno
import re
from dataclasses import dataclass

from linerate.measure.tuning.folder import Folder, open_folder
from linerate.measure.tuning.interface import Interface
from linerate.measure.tuning.knobs.knob import (
    Scope,
    one_each,
    refused,
    whole_number,
    why_unreadable,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFile:
    """One number in a file of the interface's folder."""

    name: str
    file: str
    most: int
    """Largest value; the smallest is 0."""
    scope: Scope = "interface"

    @property
    def allowed(self) -> str:
        """Values that it takes, in words."""
        return f"0..{self.most}"

    def available(self, interface: Interface) -> str | None:
        """Say why it cannot be set here; None if it can."""
        return why_unreadable(self.show, interface)

    def show(self, interface: Interface) -> str:
        """Read it."""
        with open_folder(interface) as folder:
            return folder.read(self.file)

    def tune(self, interface: Interface, value: str) -> None:
        """Set it."""
        self.reset(interface, str(whole_number(self.name, value, 0, self.most)))

    def reset(self, interface: Interface, value: str) -> None:
        """Put back what it was."""
        with open_folder(interface) as folder:
            folder.write(self.file, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueCores:
    """Cores of each queue, as masks in hexadecimal: where packets are handled, or sent from."""

    name: str
    queues: str
    """What the queues' folders begin with: ``rx-`` or ``tx-``."""
    file: str
    allowed: str = "one mask in hexadecimal, 3 for cores 0 and 1, or one for each queue"
    scope: Scope = "interface"

    def available(self, interface: Interface) -> str | None:
        """Say why it cannot be set here; None if it can."""
        return why_unreadable(self.show, interface)

    def show(self, interface: Interface) -> str:
        """Read the masks, queue by queue."""
        with open_folder(interface) as folder:
            return " ".join(folder.read(path) for path in self._paths(folder))

    def tune(self, interface: Interface, value: str) -> None:
        """Set one mask for all queues, or one for each."""
        if not re.fullmatch(r"[0-9a-fA-F,]+( [0-9a-fA-F,]+)*", value):
            raise refused(self.name, value, "it is not a mask of cores", self.allowed)
        self.reset(interface, value)

    def reset(self, interface: Interface, value: str) -> None:
        """Put back the masks; queues that are no more need none."""
        with open_folder(interface) as folder:
            paths = self._paths(folder)
            for path, mask in zip(paths, one_each(self.name, value, len(paths)), strict=True):
                folder.write(path, mask)

    def _paths(self, folder: Folder) -> list[str]:
        names = [name for name in folder.names("queues") if name.startswith(self.queues)]
        if not names:
            raise OSError(errno.EOPNOTSUPP, "Operation not supported")
        return [f"queues/{name}/{self.file}" for name in names]
