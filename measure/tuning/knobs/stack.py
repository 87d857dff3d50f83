"""What the network stack keeps of an interface: its MTU, and the check of source addresses."""

from __future__ import annotations

import errno
from dataclasses import dataclass

from linerate.measure.tuning.interface import Interface
from linerate.measure.tuning.kernel.links import set_inet, set_mtu
from linerate.measure.tuning.knobs.knob import Scope, whole_number, why_unreadable

_MTU_BYTES_MIN, _MTU_BYTES_MAX = 68, 65535
_RP_FILTER = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Mtu:
    """Largest packet, without Ethernet header and FCS; native XDP needs it to fit a page."""

    name: str = "mtu_bytes"
    allowed: str = f"{_MTU_BYTES_MIN}..{_MTU_BYTES_MAX}, as far as the driver goes"
    scope: Scope = "interface"

    def available(self, interface: Interface) -> str | None:
        """Say why it cannot be set here; None if it can."""
        return why_unreadable(self.show, interface)

    def show(self, interface: Interface) -> str:
        """Read it."""
        return str(interface.link().mtu_bytes)

    def tune(self, interface: Interface, value: str) -> None:
        """Set it."""
        wanted = whole_number(self.name, value, _MTU_BYTES_MIN, _MTU_BYTES_MAX)
        set_mtu(interface.index, wanted)

    def reset(self, interface: Interface, value: str) -> None:
        """Put back what it was."""
        set_mtu(interface.index, int(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReversePathFilter:
    """Whether IPv4 packets are dropped whose source would not be answered by this interface."""

    name: str = "rp_filter"
    allowed: str = "0 (off), 1 (strict), 2 (loose)"
    scope: Scope = "interface"

    def available(self, interface: Interface) -> str | None:
        """Say why it cannot be set here; None if it can."""
        return why_unreadable(self.show, interface)

    def show(self, interface: Interface) -> str:
        """Read it."""
        settings = interface.link().inet_settings
        if len(settings) < _RP_FILTER:
            raise OSError(errno.EOPNOTSUPP, "Operation not supported")
        return str(settings[_RP_FILTER - 1])

    def tune(self, interface: Interface, value: str) -> None:
        """Set it."""
        set_inet(interface.index, _RP_FILTER, whole_number(self.name, value, 0, 2))

    def reset(self, interface: Interface, value: str) -> None:
        """Put back what it was."""
        set_inet(interface.index, _RP_FILTER, int(value))
