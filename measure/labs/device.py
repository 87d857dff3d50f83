"""A device under test, whichever lab it is in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol


class Place(Protocol):
    """Where commands for the device are run."""

    def argv(self, command: Sequence[str | Path], *, pins: bool = False) -> list[str]:
        """Argument list that runs a command there."""
        ...


class DeviceLab(Protocol):
    """What a datapath needs of a lab to put its program on the device."""

    @property
    def dut(self) -> Place:
        """Where the device is."""
        ...

    @property
    def dut_device(self) -> str:
        """Its name there."""
        ...

    def start_dut_threads(self) -> tuple[int, ...]:
        """See to the cores that serve it, after each attach; process ids of its threads."""
        ...
