"""A process of the device that takes part in a trial: when to count, when to wake."""

from __future__ import annotations

from dataclasses import dataclass

from linerate.measure.processes.held import HeldProcess

WINDOW_PACKETS = 256
"""Frames on their way at once where a process of the device shares the generator's core: no more
than a veth's ring holds, so that none is lost wherever they wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Partner:
    """Descriptors that a generator shares with a process of the device.

    The generator itself writes to them: in a trial that fills every core, whoever stands between
    the two is late by some hundred milliseconds.
    """

    process: HeldProcess
    """Gets a line when the counted time begins and when its last frame is through."""
    wake_fds: tuple[int, ...] = ()
    """Event counter of each core that the process shares with a generator, raised when it has
    nothing left to send; empty where it has cores of its own."""

    @property
    def fds(self) -> tuple[int, ...]:
        """What the generator has to inherit."""
        return (self.process.input_fd, *self.wake_fds)

    @property
    def flags(self) -> list[str]:
        """Options that give them to the generator."""
        flags = ["--mark-fd", str(self.process.input_fd)]
        if self.wake_fds:
            fds = ",".join(map(str, self.wake_fds))
            flags += ["--window-packets", str(WINDOW_PACKETS), "--wake-fds", fds]
        return flags
