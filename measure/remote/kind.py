"""What the agent asks of a kind of generator: the seam behind which each one stands."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from linerate.measure.labs.port import Port, PortCounts
from linerate.measure.remote.protocol import GeneratorReport, Start


@dataclass(frozen=True, slots=True, kw_only=True)
class SendingPort:
    """Where a generator sends, and where frames come back to."""

    port: Port
    cores: tuple[int, ...]
    """Cores that send."""


class GeneratorKind(Protocol):
    """One kind of generator, run as a process that sends for a time, prints and ends.

    The agent starts the process, ends it when the device's host is gone, and never lets it run
    for longer than was asked; so a kind is argument lists and the reading of what they print.
    """

    def version(self) -> str:
        """Say which generator this is; refuse, by `CannotHereError`, where it is not installed."""
        ...

    def hold(self, port: SendingPort) -> AbstractContextManager[None]:
        """Make the interface ready, until the context ends or the process is killed."""
        ...

    def argv(self, port: SendingPort, start: Start) -> list[str]:
        """Command that sends one load; refuse, by `BadInputError`, one that it cannot make."""
        ...

    def report(
        self, said: str, start: Start, sent_and_back: PortCounts, port: SendingPort
    ) -> GeneratorReport:
        """Read what the process printed.

        Parameters
        ----------
        said
            Its standard output.
        start
            What it was asked for.
        sent_and_back
            What the kernel counted of the interface meanwhile.
        port
            That interface.
        """
        ...
