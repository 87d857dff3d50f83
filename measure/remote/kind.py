"""What the agent asks of a kind of generator: the seam behind which each one stands."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from linerate.cells import Load
from linerate.measure.labs.port import Port, PortCounts
from linerate.measure.remote.card_port import CardPort
from linerate.measure.remote.protocol import GeneratorReport, Start


@dataclass(frozen=True, slots=True, kw_only=True)
class SendingPort:
    """Where a generator sends, and where frames come back to."""

    port: Port | CardPort
    cores: tuple[int, ...]
    """Cores that send."""
    program: str = ""
    """Path of the generator's program, where it is not the usual one."""


class GeneratorKind(Protocol):
    """One kind of generator, run as a process that sends for a time, prints and ends.

    The agent starts the process, ends it when the device's host is gone, and never lets it run
    for longer than was asked; so a kind is argument lists and the reading of what they print.
    """

    @property
    def brings_link(self) -> bool:
        """Whether the cable of a card has a link only while it sends: it drives that itself."""
        ...

    @property
    def start_up_seconds(self) -> float:
        """Time that it may take before it sends, beyond that of a program that just starts."""
        ...

    def port(self, interface: str) -> Port | CardPort:
        """Name what it sends from: an interface, or a card by its PCI address."""
        ...

    def check(self, load: Load, cores: tuple[int, ...]) -> None:
        """Refuse, by `BadInputError`, a load that it cannot make from so many cores."""
        ...

    def version(self, port: SendingPort) -> str:
        """Say which generator this is; refuse, by `CannotHereError`, where it is not installed."""
        ...

    def hold(self, port: SendingPort) -> AbstractContextManager[None]:
        """Make the interface ready, until the context ends or the process is killed."""
        ...

    def argv(self, port: SendingPort, start: Start) -> list[str]:
        """Command that sends one load; refuse, by `BadInputError`, one that it cannot make."""
        ...

    def report(
        self, output: str, start: Start, sent_and_back: PortCounts, port: SendingPort
    ) -> GeneratorReport:
        """Read what the process printed.

        Parameters
        ----------
        output
            Its standard output.
        start
            What it was asked for.
        sent_and_back
            What the kernel counted of the interface meanwhile.
        port
            That interface.
        """
        ...
