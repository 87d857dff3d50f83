"""How the card spreads flows over its queues (receive-side scaling)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from linerate.measure.tuning.interface import Interface
from linerate.measure.tuning.kernel.rss import (
    HASH_FIELDS,
    UDP_OVER_IPV4,
    read_hash,
    read_table,
    set_hash,
    set_table,
)
from linerate.measure.tuning.knobs.knob import Scope, refused, why_unreadable


@dataclass(frozen=True, slots=True, kw_only=True)
class Indirection:
    """Queue of each value of the hash."""

    name: str = "rss_table"
    allowed: str = "equal N (N queues in turn), or a queue for each entry"
    scope: Scope = "interface"

    def available(self, interface: Interface) -> str | None:
        """Say why it cannot be set here; None if it can."""
        return why_unreadable(self.show, interface)

    def show(self, interface: Interface) -> str:
        """Read it."""
        interface.check()
        return " ".join(map(str, read_table(interface.name)))

    def tune(self, interface: Interface, value: str) -> None:
        """Spread over the first N queues in turn, or as listed."""
        entries = len(read_table(interface.name))
        if equal := re.fullmatch(r"equal ([1-9][0-9]{0,3})", value):
            value = " ".join(str(entry % int(equal[1])) for entry in range(entries))
        if not re.fullmatch(r"[0-9]{1,4}( [0-9]{1,4})*", value) or value.count(" ") + 1 != entries:
            raise refused(self.name, value, f"the table has {entries} entries", self.allowed)
        self.reset(interface, value)

    def reset(self, interface: Interface, value: str) -> None:
        """Put back the table."""
        interface.check()
        set_table(interface.name, tuple(map(int, value.split())))


@dataclass(frozen=True, slots=True, kw_only=True)
class UdpHash:
    """What of a UDP packet over IPv4 goes into the hash."""

    name: str = "udp_hash_fields"
    allowed: str = "of s, d (addresses), f, n (ports), in this order: sd, sdfn"
    scope: Scope = "interface"

    def available(self, interface: Interface) -> str | None:
        """Say why it cannot be set here; None if it can."""
        return why_unreadable(self.show, interface)

    def show(self, interface: Interface) -> str:
        """Read it."""
        interface.check()
        return read_hash(interface.name, UDP_OVER_IPV4)

    def tune(self, interface: Interface, value: str) -> None:
        """Set it; without ports, all flows between two addresses share a queue."""
        if not value or value != "".join(letter for letter in HASH_FIELDS if letter in value):
            raise refused(self.name, value, "these are not fields of the hash", self.allowed)
        self.reset(interface, value)

    def reset(self, interface: Interface, value: str) -> None:
        """Put back what it was."""
        interface.check()
        set_hash(interface.name, UDP_OVER_IPV4, value)
