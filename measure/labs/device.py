"""A device under test, whichever lab it is in."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from linerate.cells import Mode
from linerate.errors import LinerateError


class Place(Protocol):
    """Where commands for the device are run."""

    def argv(self, command: Sequence[str | Path], *, pins: bool = False) -> list[str]:
        """Argument list that runs a command there."""
        ...

    def run(self, command: Sequence[str | Path], *, text_in: str = "", pins: bool = False) -> str:
        """Run a short command there and return what it printed; `LinerateError` if it fails."""
        ...


class DeviceLab(Protocol):
    """What a datapath needs of a lab to put its program on the device."""

    @property
    def mode(self) -> Mode:
        """Whether the device shares the generator's cores."""
        ...

    @property
    def queues(self) -> int:
        """Receive queues of the device."""
        ...

    @property
    def dut(self) -> Place:
        """Where the device is."""
        ...

    @property
    def dut_device(self) -> str:
        """Its name there."""
        ...

    @property
    def dut_cores(self) -> tuple[int, ...]:
        """Core that serves each queue of the device."""
        ...

    @property
    def main_core(self) -> int:
        """Core of what a datapath does beside serving packets."""
        ...

    @property
    def is_shared(self) -> bool:
        """Whether the place has other interfaces and rules, which are to be left alone."""
        ...

    def start_dut_threads(self) -> tuple[int, ...]:
        """See to the cores that serve it, after each attach; process ids of its threads."""
        ...


def run_command(argv: Sequence[str], name: str, text_in: str = "") -> str:
    """Run a short command and return what it printed.

    Raises
    ------
    LinerateError
        It failed; the message carries its words.
    """
    done = subprocess.run(argv, input=text_in, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LinerateError(f"{name}: {done.stderr.strip() or done.returncode}")
    return done.stdout
