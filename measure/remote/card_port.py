"""A network card that the kernel has given away: a generator drives it, by its PCI address."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from linerate.measure.labs.card import check_address, check_card
from linerate.measure.labs.port import PortCounts

_PCI = Path("/sys/bus/pci/devices")


@dataclass(frozen=True, slots=True)
class CardPort:
    """A card, by its address; to the agent it is what a `Port` is."""

    name: str
    """Its address, as in ``0000:3b:00.0``."""

    def __post_init__(self) -> None:
        check_address(self.name)

    @property
    def driver(self) -> str:
        """Its driver; empty where it has none."""
        link = _PCI / self.name / "driver"
        return link.resolve().name if link.exists() else ""

    @property
    def is_virtual(self) -> bool:
        """Whether no device is behind it."""
        return False

    @property
    def speed_gbps(self) -> float | None:
        """Always None: only who drives the card knows."""
        return None

    def require(self) -> None:
        """Refuse a card that is not there, is the kernel's, or is not fenced in.

        Raises
        ------
        BadInputError, CannotHereError
            Which, and what to do.
        """
        check_card(self.name)

    def await_carrier(self) -> None:
        """Refuse the same; its link is up once a generator drives it."""
        self.require()

    def counts(self) -> PortCounts:
        """Count nothing: the kernel does not see its frames."""
        return PortCounts(rx_packets=0, tx_packets=0, rx_lost=0, tx_lost=0)
