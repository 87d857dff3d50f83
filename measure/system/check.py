"""What a check says of the machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from linerate.measure.system.machine import Machine


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One answer of one check."""

    name: str
    """What was looked for, as ``--json`` names it."""
    ok: bool | None
    """Whether this machine has it; None where that is not known, mostly for want of root."""
    detail: str
    """What was found, one line."""
    why: str
    """What linerate needs it for: the datapath, lab or column that it enables."""
    remedy: str
    """The command that gets it on Debian or Ubuntu, or what to do where no command can."""

    @property
    def answer(self) -> str:
        """The finding in one word: ``yes``, ``no`` or ``unknown``."""
        return "unknown" if self.ok is None else "yes" if self.ok else "no"


Check = Callable[[Machine], Finding]
"""Judges one thing; looks at the machine only through its argument."""


def apt(*packages: str) -> str:
    """Command that installs Debian packages.

    >>> apt("clang", "llvm")
    'sudo apt-get install -y clang llvm'
    """
    return f"sudo apt-get install -y {' '.join(packages)}"
