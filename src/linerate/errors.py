"""What can go wrong, in one family; the command line maps each to its exit code."""

from __future__ import annotations


class LinerateError(Exception):
    """The world did not do what was asked: set-up failed, a runner died, a disk is full."""

    exit_code = 3


class BadInputError(LinerateError, ValueError):
    """A file, option or argument that cannot be used as it is."""

    exit_code = 2
    instead: tuple[str, str] | None = None
    """A path that was given, and one that would do; None where there is no such guess."""


class CannotHereError(LinerateError):
    """What the request needs is lacking on this machine."""

    exit_code = 4


class DeviceFailedError(LinerateError):
    """The device under test ended, hung, or never started: a result of its run, not of a campaign.

    What is lacking on the machine as a whole is no such error.
    """


def bad_input(field: str, got: object, *, why: str, allowed: str, do: str) -> BadInputError:
    """Build the error of the one form that every refusal has.

    >>> print(bad_input("queues", 9, why="this box has 2 cores", allowed="1..2", do="lower it"))
    queues=9: this box has 2 cores; allowed: 1..2; lower it
    """
    return BadInputError(f"{field}={got}: {why}; allowed: {allowed}; {do}")


def cannot_here(need: str, *, why: str, do: str) -> CannotHereError:
    """Build the error for something that this machine cannot do.

    >>> print(cannot_here("root", why="attaching XDP needs CAP_NET_ADMIN", do="run it with sudo"))
    root: attaching XDP needs CAP_NET_ADMIN; run it with sudo
    """
    return CannotHereError(f"{need}: {why}; {do}")
