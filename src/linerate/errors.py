"""What can go wrong, in one family; the command line maps each to its exit code."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from linerate.messages import Note, note

SHOWN_CHARACTERS_MAX = 400
"""Of a refused value; a path may be as long as a few lines."""


class LinerateError(Exception):
    """The world did not do what was asked: set-up failed, a runner died, a disk is full."""

    exit_code = 3


class BadInputError(LinerateError, ValueError):
    """A file, option or argument that cannot be used as it is."""

    exit_code = 2
    instead: tuple[str, str] | None = None
    """A path that was given, and one that would do; None where there is no such guess."""

    @property
    def note(self) -> str:
        """What it says, as a report can say it in another language where its parts are notes."""
        return self.args[0] if self.args and isinstance(self.args[0], Note) else str(self)


class CannotHereError(LinerateError):
    """What the request needs is lacking on this machine."""

    exit_code = 4


class DeviceFailedError(LinerateError):
    """The device under test ended, hung, or never started: a result of its run, not of a campaign.

    What is lacking on the machine as a whole is no such error.
    """


def bad_input(field: str, got: object, *, why: str, allowed: str, do: str) -> BadInputError:
    """Build the error of the one form that every refusal has.

    What a report may show is given as notes (``messages.note``).

    >>> print(bad_input("queues", 9, why="this box has 2 cores", allowed="1..2", do="lower it"))
    queues=9: this box has 2 cores; allowed: 1..2; lower it
    """
    return BadInputError(note("{field}={got}: {why}; allowed: {allowed}; {do}", field=field,
                              got=_shown(got), why=why, allowed=allowed, do=do))  # fmt: skip


def _shown(got: object) -> str:
    """Show what was got, the beginning of it where it is long.

    >>> _shown("7" * 5000)[-22:]
    '7... (5000 characters)'
    """
    text = str(got)
    if len(text) <= SHOWN_CHARACTERS_MAX:
        return text
    return f"{text[:SHOWN_CHARACTERS_MAX]}... ({len(text)} characters)"


def bad_name(
    field: str, got: str, *, why: str, known: Collection[str], do: str = "use one of these names"
) -> BadInputError:
    """Build the error for a name that is none of those known; a near miss is suggested.

    >>> print(bad_name("datapath", "tcc", why="no lab runs it", known=("af_xdp", "tc")))
    datapath=tcc: no lab runs it; allowed: af_xdp, tc; did you mean tc? use one of these names
    """
    close = get_close_matches(got, known, n=1)
    meant = f"did you mean {close[0]}? " if close else ""
    return bad_input(field, got, why=why, allowed=", ".join(known), do=meant + do)


def cannot_here(need: str, *, why: str, do: str) -> CannotHereError:
    """Build the error for something that this machine cannot do.

    >>> print(cannot_here("root", why="attaching XDP needs CAP_NET_ADMIN", do="run it with sudo"))
    root: attaching XDP needs CAP_NET_ADMIN; run it with sudo
    """
    return CannotHereError(f"{need}: {why}; {do}")
