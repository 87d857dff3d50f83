"""The one interface that the user named, identified by more than its name."""

from __future__ import annotations

import os
from dataclasses import dataclass

from linerate.errors import LinerateError, bad_input
from linerate.measure.tuning.kernel.links import Link, find_link, read_links

NAME_BYTES_MAX = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Interface:
    """Identity of an interface: a name can go to another one, these four together cannot."""

    name: str
    """What the user called it."""
    index: int
    """The kernel's number; a rename keeps it, a new interface gets another."""
    mac: str
    """Hardware address."""
    namespace: int
    """Inode of the network namespace that it was found in."""

    @classmethod
    def named(cls, name: str) -> Interface:
        """Find an interface of this network namespace by the name that the user gave.

        Raises
        ------
        BadInputError
            There is none of that name here.
        """
        link = find_link(name=name) if 0 < len(name.encode()) <= NAME_BYTES_MAX else None
        # the kernel would answer to an alternative name too: take the one that is shown
        if link is None or link.name != name:
            known = ", ".join(sorted(other.name for other in read_links() if not other.loopback))
            raise bad_input(
                "interface", name, why="there is none of that name in this network namespace",
                allowed=known or "none here", do="name one of these",
            )  # fmt: skip
        return cls._of(link)

    @classmethod
    def _of(cls, link: Link) -> Interface:
        return cls(name=link.name, index=link.index, mac=link.mac, namespace=namespace_inode())

    def link(self) -> Link:
        """Look the interface up as it is now, under its own name.

        Raises
        ------
        LinerateError
            The name, the number or the address is another one's by now, or it is gone.
        """
        link = find_link(index=self.index) if namespace_inode() == self.namespace else None
        if link is None or (link.name, link.mac) != (self.name, self.mac):
            raise LinerateError(
                f"interface={self.name}: {self._became(link)}; it must stay the one that was "
                "named; look with ip link, then start again"
            )
        return link

    def check(self) -> None:
        """Make sure that the name still means what it meant, before and after each action."""
        self.link()

    def found(self) -> Interface | None:
        """Find the same interface again under whatever name it has now; None if it is gone."""
        if namespace_inode() != self.namespace:
            return None
        link = find_link(index=self.index)
        return Interface._of(link) if link and link.mac == self.mac else None

    def _became(self, link: Link | None) -> str:
        if namespace_inode() != self.namespace:
            return "this process is in another network namespace by now"
        if link is None:
            return f"number {self.index} is gone"
        if link.name != self.name:
            return f"it was renamed to {link.name}"
        return f"its address changed from {self.mac} to {link.mac}"


def namespace_inode() -> int:
    """Inode of this process's network namespace."""
    return os.stat("/proc/self/ns/net").st_ino
