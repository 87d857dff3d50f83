"""Numbers that the network card's driver keeps: queues, rings, coalescing, pause frames."""

from __future__ import annotations

import errno
from dataclasses import dataclass

from linerate.measure.tuning.interface import Interface
from linerate.measure.tuning.kernel.ethtool import Group, read_numbers, set_number
from linerate.measure.tuning.knobs.knob import Scope, refused, whole_number, why_unreadable

_U32_MAX = 2**32 - 1
_SWITCH = ("off", "on")


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """One number of a group; with ``max_kind`` the driver says how large it may be."""

    name: str
    group: Group
    kind: int
    """Its attribute."""
    max_kind: int | None = None
    """Attribute of its largest value."""
    scope: Scope = "interface"

    @property
    def allowed(self) -> str:
        """Values that it takes, in words."""
        return "a whole number" if self.max_kind is None else "a whole number, or max"

    def available(self, interface: Interface) -> str | None:
        """Say why it cannot be set here; None if it can."""
        return why_unreadable(self.show, interface)

    def show(self, interface: Interface) -> str:
        """Read it."""
        return str(_read(interface, self.group, self.kind))

    def tune(self, interface: Interface, value: str) -> None:
        """Set it; ``max`` is the largest that the driver takes."""
        most = _U32_MAX
        if self.max_kind is not None:
            most = _read(interface, self.group, self.max_kind)
        wanted = most if value == "max" else whole_number(self.name, value, 0, most)
        set_number(interface.index, self.group, self.kind, wanted)

    def reset(self, interface: Interface, value: str) -> None:
        """Put back what it was."""
        set_number(interface.index, self.group, self.kind, int(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """One number of a group that is on or off."""

    name: str
    group: Group
    kind: int
    allowed: str = "on, off"
    scope: Scope = "interface"

    def available(self, interface: Interface) -> str | None:
        """Say why it cannot be set here; None if it can."""
        return why_unreadable(self.show, interface)

    def show(self, interface: Interface) -> str:
        """Read it."""
        return _SWITCH[bool(_read(interface, self.group, self.kind))]

    def tune(self, interface: Interface, value: str) -> None:
        """Switch it."""
        if value not in _SWITCH:
            raise refused(self.name, value, "it is a switch", self.allowed)
        self.reset(interface, value)

    def reset(self, interface: Interface, value: str) -> None:
        """Put back what it was."""
        set_number(interface.index, self.group, self.kind, _SWITCH.index(value))


def _read(interface: Interface, group: Group, kind: int) -> int:
    numbers = read_numbers(interface.index, group)
    if kind not in numbers:
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")
    return numbers[kind]
