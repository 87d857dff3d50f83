"""An interface of this host's own, as /sys shows it, and held promiscuous while it is measured."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from linerate.errors import LinerateError, bad_input, cannot_here
from linerate.measure.tuning.knobs.interrupts import interrupts_of

NAME_BYTES_MAX = 15
"""Of an interface (IFNAMSIZ, less the closing zero)."""
CARRIER_SECONDS = 15.0
"""A link that new settings took down is up again by then: autonegotiation takes seconds."""
_SYS = Path("/sys/class/net")
_CARRIER_STEP_SECONDS = 0.1
# linux/if_packet.h
_SOL_PACKET, _PACKET_ADD_MEMBERSHIP, _PACKET_MR_PROMISC = 263, 1, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PortCounts:
    """What the kernel counted of an interface since it was made."""

    rx_packets: int
    tx_packets: int
    rx_lost: int
    """Frames that its rings had no room for."""
    tx_lost: int
    """Frames given to it that it did not send."""

    def __sub__(self, earlier: PortCounts) -> PortCounts:
        """Count what came between two looks."""
        return PortCounts(
            **{name: getattr(self, name) - getattr(earlier, name) for name in self.__slots__}
        )


@dataclass(frozen=True, slots=True)
class Port:
    """An interface, by its name in the namespace whose /sys is mounted."""

    name: str

    def __post_init__(self) -> None:
        bad = not self.name or "/" in self.name or self.name in (".", "..")
        if bad or len(self.name) > NAME_BYTES_MAX or not self.name.isprintable():
            raise bad_input(
                "interface", ascii(self.name), why="no interface has such a name",
                allowed="a name as `ip link` prints it", do="correct it",
            )  # fmt: skip

    @property
    def folder(self) -> Path:
        """Its attributes."""
        return _SYS / self.name

    @property
    def driver(self) -> str:
        """Its driver; empty where no device is behind it."""
        link = self.folder / "device/driver"
        return link.resolve().name if link.exists() else ""

    @property
    def is_virtual(self) -> bool:
        """Whether no device is behind it: what such a one cannot pass on was lost beyond it."""
        return not (self.folder / "device").exists()

    @property
    def speed_gbps(self) -> float | None:
        """What its link carries; None where the driver does not say, or there is no link."""
        with suppress(OSError, ValueError):
            mbps = int((self.folder / "speed").read_text())
            return mbps / 1e3 if mbps > 0 else None
        return None

    @property
    def has_interrupts(self) -> bool:
        """Whether it has interrupts of its own, that can be sent to cores."""
        return bool(interrupts_of(self.folder / "device"))

    def has_carrier(self) -> bool:
        """Whether it is up and its cable leads somewhere."""
        try:
            return (self.folder / "carrier").read_text().strip() == "1"
        except OSError:  # down: the kernel refuses to say
            return False

    def require(self) -> None:
        """Refuse an interface that is not there, or has no link.

        Raises
        ------
        CannotHereError
            Which, and what to do.
        """
        self.await_carrier(0.0)

    def await_carrier(self, seconds: float = CARRIER_SECONDS) -> None:
        """Wait until the link is up.

        Raises
        ------
        CannotHereError
            There is no such interface, or no link in time.
        """
        if not self.folder.exists():
            raise cannot_here(
                self.name, why="this host has no such interface",
                do="name one that `ip link` lists",
            )  # fmt: skip
        end = time.monotonic() + seconds
        while not self.has_carrier():
            if time.monotonic() >= end:
                raise cannot_here(
                    self.name, why="its link is down", do="check the cable and the other end, and "
                    f"run `ip link set {self.name} up`",
                )  # fmt: skip
            time.sleep(_CARRIER_STEP_SECONDS)

    def counts(self) -> PortCounts:
        """Read its counters now."""
        return PortCounts(
            rx_packets=self._count("rx_packets"),
            tx_packets=self._count("tx_packets"),
            rx_lost=self._count("rx_missed_errors") + self._count("rx_dropped"),
            tx_lost=self._count("tx_dropped") + self._count("tx_errors"),
        )

    def _count(self, name: str) -> int:
        try:
            return int((self.folder / "statistics" / name).read_text())
        except OSError as error:
            raise LinerateError(f"{self.name}: it has gone ({error.strerror})") from error


@contextmanager
def hold_promiscuous(port: Port) -> Iterator[None]:
    """Have a card take frames whatever their destination address.

    A program that bounces a frame leaves its addresses as they are, so that they are neither
    card's. The kernel takes it back with the socket, however this process ends.

    Raises
    ------
    CannotHereError
        Rights are missing.
    """
    try:
        held = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    except PermissionError:
        raise cannot_here(
            port.name, why="holding it promiscuous needs CAP_NET_RAW", do="run it with sudo"
        ) from None
    with held:
        try:
            index = socket.if_nametoindex(port.name)
            wish = struct.pack("iHH8s", index, _PACKET_MR_PROMISC, 0, b"")
            held.setsockopt(_SOL_PACKET, _PACKET_ADD_MEMBERSHIP, wish)
        except OSError as error:
            raise LinerateError(f"{port.name}: not promiscuous ({error.strerror})") from error
        yield
