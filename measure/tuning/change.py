"""Changing settings: each one written down first, all of them or none."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

from linerate.errors import bad_input, cannot_here
from linerate.measure.tuning.interface import Interface
from linerate.measure.tuning.journal import Journal, Owner, Setting
from linerate.measure.tuning.knobs import HELD, KNOBS, Knob, Readable, find_held, find_knob
from linerate.measure.tuning.refusals import refuse_unsafe
from linerate.measure.tuning.restore import put_back
from linerate.measure.tuning.sight import refuse_blind

LACKING = {errno.EPERM: "CAP_NET_ADMIN", errno.EACCES: "CAP_DAC_OVERRIDE"}
"""What the kernel refuses a setting with, and the capability that it misses."""


@contextmanager
def tuned(
    interface: Interface, settings: Mapping[str, str], journal: Journal | None = None
) -> Iterator[tuple[Setting, ...]]:
    """Hold settings while a block runs, and put them back in reverse order however it ends.

    After SIGKILL ``linerate cleanup`` puts them back from the journal; those of `HELD` end with
    the process by themselves.

    Parameters
    ----------
    interface
        The one that the user named; refused if anything else lives on it.
    settings
        Value by name of the setting, as ``linerate show`` lists them.
    journal
        Where changes are written down; the machine's own if left out.

    Yields
    ------
    What was changed and is to be put back; settings that were so already are left out.

    Raises
    ------
    BadInputError
        An unsafe interface, an unknown setting, a value that it does not take.
    CannotHereError
        A setting that this driver or machine does not have; no root.
    LinerateError
        The kernel refused, or it is not the interface any more. Everything is as it was.
    """
    journal = journal or Journal.usual()
    held = [setting for setting in HELD if setting.name in settings]
    check_available(interface, held)
    kept = {name: value for name, value in settings.items() if not find_held(name)}
    changed = change(interface, kept, journal, Owner.this_process())
    try:
        with ExitStack() as stack:
            for setting in held:
                with _explained(setting, settings[setting.name]):
                    stack.enter_context(setting.hold(settings[setting.name]))
            yield changed
    finally:
        with journal.held():
            put_back(journal, changed)


@contextmanager
def foreseen(
    interface: Interface, name: str, value: str, journal: Journal | None = None
) -> Iterator[None]:
    """Write a setting down that something else is about to change, and put it back.

    Parameters
    ----------
    interface
        One that `tuned` holds.
    name, value
        The setting, and what it will be, in words.
    journal
        Where it is written down; the machine's own if left out.

    Raises
    ------
    LinerateError
        It cannot be written down, or not be put back.
    """
    journal = journal or Journal.usual()
    with journal.held():
        before = find_knob(name).show(interface)
        setting = journal.begin(name, interface, before, value, Owner.this_process())
    try:
        yield
    finally:
        with journal.held():
            put_back(journal, [setting])


def change(
    interface: Interface, settings: Mapping[str, str], journal: Journal, owner: Owner | None
) -> tuple[Setting, ...]:
    """Change settings in the order of `KNOBS`; if one fails, put back those before it.

    Raises
    ------
    BadInputError, CannotHereError, LinerateError
        As for `tuned`.
    """
    refuse_unsafe(interface)
    refuse_blind()
    knobs = in_order(settings)
    check_available(interface, knobs)
    changed: list[Setting] = []
    with journal.held():
        try:
            for knob in knobs:
                setting = _begin(interface, knob, settings[knob.name], journal, owner)
                if setting is not None:
                    changed.append(setting)
                    _set(interface, knob, setting.value)
                    if knob.show(interface) == setting.before:  # max, where it was so already
                        journal.end(changed.pop())
        except BaseException:  # Ctrl-C too: half of a set of settings is nobody's wish
            put_back(journal, changed)
            raise
    return tuple(changed)


def in_order(settings: Mapping[str, str]) -> list[Knob]:
    """Find the settings named, in the order in which they are set."""
    for name in settings:
        find_knob(name)
    return [knob for knob in KNOBS if knob.name in settings]


def check_available(interface: Interface, knobs: Sequence[Readable]) -> None:
    """Refuse, before anything is changed, what this driver or machine does not have."""
    for knob in knobs:
        if why := knob.available(interface):
            raise cannot_here(
                f"{knob.name} of {interface.name}", why=why,
                do="leave it out; linerate show lists what can be set",
            )  # fmt: skip


def _begin(
    interface: Interface, knob: Knob, value: str, journal: Journal, owner: Owner | None
) -> Setting | None:
    """Write a change down; None where nothing is to be changed."""
    interface.check()
    before = knob.show(interface)
    return None if before == value else journal.begin(knob.name, interface, before, value, owner)


def _set(interface: Interface, knob: Knob, value: str) -> None:
    with _explained(knob, value):
        knob.tune(interface, value)
    interface.check()


@contextmanager
def _explained(knob: Readable, value: str) -> Iterator[None]:
    """Say what to do where the kernel refuses a setting."""
    try:
        yield
    except OSError as error:
        words = (error.strerror or str(error)).lower()
        if lacking := LACKING.get(error.errno or 0):
            raise cannot_here(knob.name, why=words,
                              do=f"run it with sudo, or with {lacking}") from error  # fmt: skip
        raise bad_input(
            knob.name, value, why=f"the kernel refused it ({words})", allowed=knob.allowed,
            do="name another value, or leave it out",
        ) from error  # fmt: skip
