"""Work that the card, or the kernel in larger pieces, does for the stack: GRO, TSO, checksums."""

from __future__ import annotations

import errno
from dataclasses import dataclass

from linerate.measure.tuning.interface import Interface
from linerate.measure.tuning.kernel.ethtool import read_features, set_feature
from linerate.measure.tuning.knobs.knob import Scope, no_such, refused

KEPT_OFF = "off, wanted on"
"""Asked for, and kept off by another setting; it comes on with that one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offload:
    """One offload, by the kernel's name of it."""

    name: str
    feature: str
    allowed: str = "on, off"
    scope: Scope = "interface"

    def available(self, interface: Interface) -> str | None:
        """Say why it cannot be set here; None if it can."""
        try:
            features = read_features(interface.index)
        except OSError as error:
            return no_such(error)
        if self.feature in features.changeable:
            return None
        return f"fixed {'on' if self.feature in features.active else 'off'} by the driver"

    def show(self, interface: Interface) -> str:
        """Read it."""
        features = read_features(interface.index)
        if self.feature in features.active:
            return "on"
        return KEPT_OFF if self.feature in features.wanted else "off"

    def tune(self, interface: Interface, value: str) -> None:
        """Switch it."""
        if value not in ("on", "off"):
            raise refused(self.name, value, "it is a switch", self.allowed)
        self.reset(interface, value)
        # the kernel takes the wish and keeps an offload off whose own needs are off
        if self.show(interface) != value:
            raise OSError(errno.EBUSY, f"another offload keeps it {self.show(interface)}")

    def reset(self, interface: Interface, value: str) -> None:
        """Put back what it was."""
        set_feature(interface.index, self.feature, on=value.endswith("on"))
