"""The XDP program of an interface: only ever taken off, where what put it there left it."""

from __future__ import annotations

import errno
from dataclasses import dataclass

from linerate.measure.tuning.interface import Interface
from linerate.measure.tuning.kernel.links import detach_xdp
from linerate.measure.tuning.knobs.knob import Scope, refused, why_unreadable

NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class XdpProgram:
    """Numbers of the XDP programs on an interface.

    Programs of linerate's own go with their process. DPDK's AF_XDP port attaches one that stays,
    so it is in the journal for as long as such a port is open.
    """

    name: str = "xdp_program"
    allowed: str = NONE
    scope: Scope = "interface"

    def available(self, interface: Interface) -> str | None:
        """Say why it cannot be set here; None if it can."""
        return why_unreadable(self.show, interface)

    def show(self, interface: Interface) -> str:
        """Read them."""
        return " ".join(map(str, interface.link().xdp_programs)) or NONE

    def tune(self, interface: Interface, value: str) -> None:
        """Take every program off."""
        if value != NONE:
            raise refused(self.name, value, "linerate measure attaches them", self.allowed)
        detach_xdp(interface.index)
        if interface.link().xdp_programs:
            raise OSError(errno.EBUSY, "a process holds the program on it")

    def reset(self, interface: Interface, value: str) -> None:
        """Take off what was put on since; one that was there before cannot be put back."""
        if value == NONE:
            self.tune(interface, value)
