"""What every setting can do."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Literal, Protocol

from linerate.errors import BadInputError, bad_input
from linerate.measure.tuning.interface import Interface

Scope = Literal["interface", "namespace", "machine"]


class Readable(Protocol):
    """One setting of an interface, of its network namespace, or of the machine that it is in.

    Values are text, one word for each queue, interrupt or core where there are several.
    """

    @property
    def name(self) -> str:
        """What the user and the journal call it; its unit is its last word."""
        ...

    @property
    def scope(self) -> Scope:
        """Whether it belongs to the interface, to its namespace, or to the whole machine."""
        ...

    @property
    def allowed(self) -> str:
        """Values that it takes, in words."""
        ...

    def available(self, interface: Interface) -> str | None:
        """Say why it cannot be set here; None if it can."""
        ...

    def show(self, interface: Interface) -> str:
        """Read it.

        Raises
        ------
        OSError
            This driver or machine has no such setting.
        """
        ...


class Held(Readable, Protocol):
    """A setting that lasts as long as a process holds it, so nothing needs to put it back."""

    def hold(self, value: str) -> AbstractContextManager[None]:
        """Hold it while a block runs.

        Raises
        ------
        BadInputError
            It does not take such a value.
        OSError
            The kernel refused.
        """
        ...


class Knob(Readable, Protocol):
    """A setting that stays: ``reset`` takes back exactly what ``show`` said."""

    def tune(self, interface: Interface, value: str) -> None:
        """Set it to what a user asked for.

        Raises
        ------
        BadInputError
            It does not take such a value.
        OSError
            The kernel refused.
        """
        ...

    def reset(self, interface: Interface, value: str) -> None:
        """Put back what ``show`` said."""
        ...


def why_unreadable(show: Callable[[Interface], str], interface: Interface) -> str | None:
    """Try to read a setting: the kernel's words where that fails, None where it does not."""
    try:
        show(interface)
    except OSError as error:
        return no_such(error)
    return None


def no_such(error: OSError) -> str:
    """Say that driver or machine lacks a setting, in the words of the kernel."""
    return f"not on this driver or machine ({(error.strerror or str(error)).lower()})"


def refused(name: str, value: str, why: str, allowed: str) -> BadInputError:
    """Build the error for a value that a setting does not take."""
    return bad_input(name, value, why=why, allowed=allowed, do="name one of these, or leave it out")


def whole_number(name: str, value: str, low: int, high: int) -> int:
    """Read a whole number within bounds.

    >>> whole_number("queues", "4", 1, 8)
    4
    """
    if not value.isascii() or not value.isdigit() or not low <= int(value[:20]) <= high:
        raise refused(name, value, "it is not a whole number within bounds", f"{low}..{high}")
    return int(value)


def one_each(name: str, value: str, count: int) -> list[str]:
    """Spread one word over all, or take one word for each.

    >>> one_each("rps_cpus", "3", 2)
    ['3', '3']
    """
    words = value.split()
    if len(words) == 1:
        return words * count
    if len(words) != count:
        raise refused(name, value, f"{len(words)} words for {count}", f"1 or {count} words")
    return words


def usable_cores() -> list[int]:
    """Cores that this process may use, in order."""
    return sorted(os.sched_getaffinity(0))
