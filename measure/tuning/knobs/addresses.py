"""Addresses of an interface that are for benchmarks; all its others are never looked at."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Interface, NetmaskValueError

from linerate.measure.tuning.interface import Interface
from linerate.measure.tuning.kernel.addresses import (
    TEST_NETWORK,
    add_address,
    benchmark_addresses,
    delete_address,
)
from linerate.measure.tuning.knobs.knob import Scope, refused, why_unreadable

NAME = "benchmark_addresses"
NONE = "none"
ALLOWED = f"{NONE}, or addresses such as 198.19.0.1/16, all of {TEST_NETWORK}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkAddresses:
    """IPv4 addresses of 198.18.0.0/15 (RFC 2544), which nothing but a benchmark uses."""

    name: str = NAME
    allowed: str = ALLOWED
    scope: Scope = "interface"

    def available(self, interface: Interface) -> str | None:
        """Say why it cannot be set here; None if it can."""
        return why_unreadable(self.show, interface)

    def show(self, interface: Interface) -> str:
        """Read them."""
        return " ".join(map(str, benchmark_addresses(interface.index))) or NONE

    def tune(self, interface: Interface, value: str) -> None:
        """Add those that are missing, and take off the others of that network."""
        wanted = checked_addresses(value)
        there = set(benchmark_addresses(interface.index))
        for address in sorted(there - wanted):
            delete_address(interface.index, address)
        for address in sorted(wanted - there):
            add_address(interface.index, address)

    def reset(self, interface: Interface, value: str) -> None:
        """Put back what they were."""
        self.tune(interface, value)


def checked_addresses(value: str) -> set[IPv4Interface]:
    """Read addresses of 198.18.0.0/15.

    Raises
    ------
    BadInputError
        One that is none, or of another network.

    >>> checked_addresses("198.19.0.1/16")
    {IPv4Interface('198.19.0.1/16')}
    """
    words = [] if value == NONE else value.split() or [value]
    try:
        wanted = {IPv4Interface(word) for word in words}
    except (AddressValueError, NetmaskValueError) as error:
        raise refused(NAME, value, f"no IPv4 address ({error})", ALLOWED) from error
    for address in wanted:
        if not address.network.subnet_of(TEST_NETWORK):
            raise refused(NAME, str(address), "it is of a network that others use", ALLOWED)
    return wanted
