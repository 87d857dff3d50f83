"""Settings beyond the interface that files hold: clock, sleep, JIT, huge pages, namespace."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from pathlib import Path

from linerate.measure.tuning.interface import Interface
from linerate.measure.tuning.knobs.knob import (
    Scope,
    one_each,
    refused,
    whole_number,
    why_unreadable,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineFiles:
    """One word in a file, or in a file of each core."""

    name: str
    files: str
    """Their path below the root, ``*`` for the number of a core."""
    words: tuple[str, ...] = ()
    """Words that it takes; empty where it takes numbers."""
    most: int = 0
    """Largest number that it takes."""
    scope: Scope = "machine"
    root: Path = Path("/")

    @property
    def allowed(self) -> str:
        """Values that it takes, in words."""
        return ", ".join([*self.words, *([f"0..{self.most}"] if self.most else [])])

    def available(self, interface: Interface) -> str | None:
        """Say why it cannot be set here; None if it can."""
        return why_unreadable(self.show, interface)

    def show(self, interface: Interface) -> str:
        """Read it, core by core where each has its own."""
        return " ".join(path.read_text().strip() for path in self._paths())

    def tune(self, interface: Interface, value: str) -> None:
        """Set one word for all cores, or one for each."""
        for word in value.split():
            if word not in self.words:
                if not self.most:
                    raise refused(self.name, word, "it is not a word for it", self.allowed)
                whole_number(self.name, word, 0, self.most)
        self.reset(interface, value)

    def reset(self, interface: Interface, value: str) -> None:
        """Put back what it was."""
        paths = self._paths()
        for path, word in zip(paths, one_each(self.name, value, len(paths)), strict=True):
            path.write_text(word)

    def _paths(self) -> list[Path]:
        return machine_files(self.root, self.files)


def machine_files(root: Path, files: str) -> list[Path]:
    """List the files of a pattern below the root, in the order of the cores' numbers.

    Raises
    ------
    OSError
        There are none.
    """
    found = sorted(root.glob(files), key=lambda path: (len(str(path)), path))
    if not found:
        raise OSError(errno.ENOENT, f"no /{files}")
    return found
