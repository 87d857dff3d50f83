"""Putting settings back as the journal has them, in reverse order; twice does no harm."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from linerate.errors import LinerateError
from linerate.measure.tuning.interface import Interface, namespace_inode
from linerate.measure.tuning.journal import Journal, Owner, Setting
from linerate.measure.tuning.kernel.links import read_links
from linerate.measure.tuning.knobs import find_knob
from linerate.measure.tuning.knobs.knob import Scope

State = Literal["restored", "gone", "elsewhere", "in use", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one setting."""

    setting: Setting
    state: State
    """``restored``; ``gone`` with its interface; ``elsewhere``, in a network namespace that lives;
    ``in use`` by a process that lives; ``failed``. The last three stay in the journal."""
    words: str = ""

    @property
    def stays(self) -> bool:
        """Whether it is still in the journal."""
        return self.state not in ("restored", "gone")


def restore(journal: Journal, interface: Interface | None = None) -> tuple[Outcome, ...]:
    """Put back what the journal has, of one interface or all that can be reached from here.

    Raises
    ------
    BadInputError, CannotHereError
        The journal cannot be read.
    """
    with journal.held():
        chosen = [
            setting
            for setting in journal.settings()
            if interface is None
            or (setting.interface.index, setting.interface.mac, setting.interface.namespace)
            == (interface.index, interface.mac, interface.namespace)
        ]
        return tuple(_restore_one(journal, setting) for setting in reversed(chosen))


def put_back(journal: Journal, settings: Iterable[Setting]) -> None:
    """Put back what this process changed itself.

    Raises
    ------
    LinerateError
        Some could not be; everything else is as it was.
    """
    outcomes = [_restore_one(journal, setting) for setting in reversed(list(settings))]
    left = [f"{left.setting.knob} ({left.words})" for left in outcomes if left.stays]
    if left:
        raise LinerateError(
            f"not as before: {', '.join(left)}; linerate cleanup tries again, and "
            f"{journal.path} has what they were"
        )


def _restore_one(journal: Journal, setting: Setting) -> Outcome:
    knob = find_knob(setting.knob)
    owner = setting.owner
    if owner and owner.alive and owner != Owner.this_process():
        return Outcome(setting=setting, state="in use", words=f"process {owner.pid} puts it back")
    place = _place(knob.scope, setting.interface)
    if isinstance(place, str):
        return Outcome(setting=setting, state="elsewhere", words=place)
    try:
        # one that could not be set is as it was, and could not be set now either
        if place is not None and knob.show(place) != setting.before:
            knob.reset(place, setting.before)
        journal.end(setting)
    except (OSError, LinerateError) as error:
        return Outcome(setting=setting, state="failed", words=str(error))
    return Outcome(setting=setting, state="gone" if place is None else "restored")


def _place(scope: Scope, interface: Interface) -> Interface | str | None:
    """Find where a setting was made: its interface may be gone while namespace and machine stay."""
    if scope == "machine" or (scope == "namespace" and interface.namespace == namespace_inode()):
        return interface
    if scope == "namespace":
        return _out_of_reach(interface.namespace)
    return where(interface)


def where(interface: Interface) -> Interface | str | None:
    """Find an interface again: as it is named now, in words where it is out of reach, or gone.

    A card falls back to the first namespace when its own ends, and keeps its settings: so one of
    the same name and address here is taken for it, once its namespace is no more.
    """
    if interface.namespace == namespace_inode():
        return interface.found()
    if words := _out_of_reach(interface.namespace):
        return words
    same = [
        link for link in read_links() if (link.name, link.mac) == (interface.name, interface.mac)
    ]
    return Interface.named(same[0].name) if same and interface.mac else None


def _out_of_reach(namespace: int) -> str | None:
    """Say how to enter another network namespace; None if nothing holds it, so that it is gone."""
    holder = _holder(namespace)
    return f"it is in another network namespace: run it there, {holder}" if holder else None


def _holder(namespace: int) -> str | None:
    for path in Path("/run/netns").glob("*"):
        with suppress(OSError):
            if path.stat().st_ino == namespace:
                return f"ip netns exec {path.name} linerate cleanup"
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended meanwhile
            if os.stat(process / "ns/net").st_ino == namespace:
                return f"nsenter --net --mount --target {process.name} linerate cleanup"
    return None
