"""Watching a campaign's folder: its plan and journal are read, and nothing is written.

Whether a process measures it is asked of the kernel's lock on the folder, which ends with that
process however it ends. On a file system of another machine locks may not be seen: there a journal
that grew lately stands for them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from linerate.errors import LinerateError
from linerate.files.alone import holder_of, is_taken
from linerate.files.journal import search_from, trial_from
from linerate.files.kinds import no_watched
from linerate.files.store import Store
from linerate.measure.campaign.campaign import read_campaign
from linerate.measure.live.events import Event
from linerate.measure.live.progress import Progress, of_lab
from linerate.measure.live.view import State, View, view_of

LOCAL = frozenset({
    "bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "overlay", "ramfs", "tmpfs", "xfs", "zfs",
})  # fmt: skip
"""File systems whose locks are those of this kernel."""
MOUNTS = Path("/proc/self/mountinfo")
QUIET_S, QUIET_TRIALS = 30.0, 3
"""A journal elsewhere that did not grow for so long, and so many trials, is measured by nobody."""
ENDED, FAILED, STOPPED = 0, 5, 3
"""Exit codes: all is measured, all but cells whose device failed, nobody measures what is left."""


@dataclass(slots=True)
class Watched:
    """A campaign's folder, and what was read of it so far."""

    folder: Path
    state: State = "not begun"
    owner: int | None = None
    progress: Progress | None = None
    """None as long as there is no plan."""
    spoiled: int = 0
    """Lines that are not as they were written: they are not trials, and left out."""
    _journal: Tail = field(init=False)
    _searches: Tail = field(init=False)

    @classmethod
    def open(cls, folder: Path) -> Watched:
        """Look at a folder for the first time.

        Raises
        ------
        BadInputError
            No such folder, or none that a campaign is or was measured into.
        """
        if refusal := no_watched(folder, taken=folder.is_dir() and is_taken(folder)):
            raise refusal
        return cls(folder)

    def __post_init__(self) -> None:
        store, self.spoiled = Store(self.folder), 0
        self._journal, self._searches = Tail(store.journal_path), Tail(store.searches_path)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        return self.state in ("ended", "stopped")

    @property
    def exit_code(self) -> int:
        """What the campaign came to: 0 while it goes on."""
        if self.state == "stopped":
            return STOPPED
        return FAILED if self.state == "ended" and self.progress and self.progress.failed else ENDED

    def look(self) -> tuple[Event, ...]:
        """Read what is new; its events, with that of the end where this is it.

        Raises
        ------
        BadInputError
            The plan cannot be read.
        LinerateError
            The folder has gone.
        """
        try:
            taken = is_taken(self.folder)  # before the journal: without an owner that is all of it
            self.owner = holder_of(self.folder) if taken else None
            if self._journal.is_replaced() or self._searches.is_replaced():
                self.progress = None
                self.__post_init__()
            events = [*self._begun(), *self._new()]
            self.state = self._state(taken=taken)
        except OSError as error:
            raise LinerateError(f"watch={self.folder}: it has gone ({error.strerror})") from error
        if self.is_over and self.progress:
            events += [self.progress.ended(self.folder, self.state, self.exit_code)]
        return tuple(events)

    def view(self, now_s: float) -> View | None:
        """Show it; None as long as there is no plan."""
        if self.progress is None:
            return None
        return view_of(self.progress, now_s, self.state, self.owner)

    def _begun(self) -> Iterator[Event]:
        plan = self.folder / "campaign.toml"
        if self.progress is None and plan.is_file() and self._journal.path.is_file():
            argv = Store(self.folder).provenance().argv
            adaptive = any(word.startswith("--until-error") for word in argv)
            self.progress = Progress(
                campaign=of_lab(read_campaign(plan).campaign, Store(self.folder)), adaptive=adaptive
            )
            yield self.progress.begun(self.folder)

    def _new(self) -> Iterator[Event]:
        if self.progress is None:
            return
        for tail, read in ((self._journal, trial_from), (self._searches, search_from)):
            for line in tail.lines():
                try:
                    entry = read(line)
                except ValueError:
                    self.spoiled += 1
                    continue
                yield from self.progress.take(entry)

    def _state(self, *, taken: bool) -> State:
        progress = self.progress
        if taken:
            return "measuring" if progress else "not begun"
        if progress is None:
            raise no_watched(self.folder, taken=False) or LinerateError(
                f"watch={self.folder}: its owner ended before it had begun; begin it again"
            )
        if progress.is_whole or (progress.adaptive and progress.last):
            return "ended"
        grown_s = time.time() - self._journal.path.stat().st_mtime
        plan = progress.campaign
        patience_s = QUIET_S + QUIET_TRIALS * (plan.trial_seconds + plan.warm_up_seconds)
        lately = grown_s < patience_s and file_system_of(self.folder) not in LOCAL
        return "elsewhere" if lately else "stopped"


@dataclass(slots=True)
class Tail:
    """A file of lines that grows."""

    path: Path
    _offset: int = 0
    _inode: int = 0

    def is_replaced(self) -> bool:
        """Whether it is another file than before: a resumed campaign sets spoiled lines aside."""
        return self._offset > 0 and self.path.stat().st_ino != self._inode

    def lines(self) -> Iterator[bytes]:
        """Read the whole lines that were not read yet; the last one may be half written."""
        try:
            file = self.path.open("rb")
        except FileNotFoundError:
            return
        with file:
            self._inode = os.fstat(file.fileno()).st_ino
            file.seek(self._offset)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                self._offset += len(line)
                yield line[:-1]


def file_system_of(path: Path) -> str:
    """Name the type of the file system that a path is on; empty where that is not known."""
    found = {"": ""}
    try:
        mounts = MOUNTS.read_text(errors="replace").splitlines()
    except OSError:
        return ""
    for each in mounts:
        place, _, about = each.partition(" - ")
        point = place.split()[4].encode().decode("unicode_escape")
        if path.resolve().is_relative_to(point):
            found[point] = about.split()[0]
    return found[max(found, key=len)]
