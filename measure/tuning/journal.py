"""The list of settings that are changed: on disk before each is, and off it when it is put back.

It lies in /run, which a reboot empties as it undoes the settings. It is root's, who alone sets any.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from linerate.errors import CannotHereError, LinerateError, bad_input
from linerate.files.lines import append_line, drop_open_line
from linerate.measure.tuning.interface import Interface

FOLDER = Path("/run/linerate")
FOLDER_VARIABLE = "LINERATE_RUN_DIR"
BYTES_MAX = 16 * 1024**2
"""A larger file is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A process that puts its settings back itself when it ends, unless it is killed."""

    pid: int
    started_ticks: int
    """Its start, in ticks since boot, which tells it from a later process of that number."""

    @classmethod
    def this_process(cls) -> Owner:
        """Name the running process."""
        pid = os.getpid()
        return cls(pid=pid, started_ticks=_started_ticks(pid) or 0)

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return _started_ticks(self.pid) == self.started_ticks


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting that was changed, or was about to be when the process ended."""

    setting_id: int
    """Place in the order of all that stand in the journal."""
    knob: str
    interface: Interface
    """What it was changed on; for a setting of the machine, what it was changed for."""
    before: str
    """What it was."""
    value: str
    """What was asked for."""
    owner: Owner | None
    """Process that puts it back; None for settings that are to stay until ``reset``."""
    kind: Literal["changed"] = "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Restored:
    setting_id: int
    kind: Literal["restored"] = "restored"


@dataclass(frozen=True, slots=True)
class Journal:
    """A folder with the journal; held by one process at a time while settings change."""

    folder: Path

    @classmethod
    def usual(cls) -> Journal:
        """Open the journal of this machine: /run/linerate, or what LINERATE_RUN_DIR names."""
        return cls(Path(os.environ.get(FOLDER_VARIABLE) or FOLDER))

    @property
    def path(self) -> Path:
        """The journal's file; there is none while nothing is changed."""
        return self.folder / "tuning.jsonl"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep others from changing settings meanwhile; they wait.

        Raises
        ------
        CannotHereError
            The folder cannot be written, mostly for want of root.
        """
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise CannotHereError(
                f"journal={self.folder}: it cannot be written ({error.strerror}), and no setting "
                "is changed that is not in it; run it with sudo, or free some space"
            ) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def settings(self) -> tuple[Setting, ...]:
        """Read what is changed and not put back, in the order it was changed.

        Raises
        ------
        BadInputError
            A line is none that linerate wrote.
        """
        standing: dict[int, Setting] = {}
        for line in self._lines():
            if isinstance(line, Setting):
                standing[line.setting_id] = line
            else:
                standing.pop(line.setting_id, None)
        return tuple(standing.values())

    def begin(self, knob: str, interface: Interface, before: str, value: str,
              owner: Owner | None) -> Setting:  # fmt: skip
        """Write down a setting that is about to be changed; on disk when this returns.

        Raises
        ------
        LinerateError
            It cannot be written: the setting must not be changed then.
        """
        last = max((setting.setting_id for setting in self.settings()), default=0)
        setting = Setting(
            setting_id=last + 1, knob=knob, interface=interface, before=before, value=value,
            owner=owner,
        )  # fmt: skip
        try:
            self.path.touch(mode=0o600)
            drop_open_line(self.path)
            append_line(self.path, asdict(setting))
        except OSError as error:
            raise LinerateError(
                f"journal={self.path}: it cannot grow ({error.strerror}); {knob} was not changed; "
                "free some space, or see that its folder can be written, and start again"
            ) from error
        return setting

    def end(self, setting: Setting) -> None:
        """Take off a setting that is as it was; the last one takes the file with it."""
        left = [other for other in self.settings() if other.setting_id != setting.setting_id]
        try:
            if left:
                drop_open_line(self.path)
                append_line(self.path, asdict(_Restored(setting_id=setting.setting_id)))
            else:
                self.path.unlink(missing_ok=True)
        except OSError as error:
            raise LinerateError(
                f"journal={self.path}: it cannot grow ({error.strerror}); {setting.knob} is as it "
                "was, but not off the list; free some space and run linerate cleanup"
            ) from error

    def _lines(self) -> Iterator[Setting | _Restored]:
        try:
            if self.path.stat().st_size > BYTES_MAX:
                raise _unreadable(self.path, "it is too large", f"at most {BYTES_MAX} bytes")
            whole = self.path.read_bytes().split(b"\n")[:-1]
        except FileNotFoundError:
            return
        except OSError as error:
            raise CannotHereError(
                f"journal={self.path}: {error.strerror}; run it with sudo"
            ) from error
        if not whole:
            return
        from pydantic import TypeAdapter, ValidationError  # slow to load

        adapter: TypeAdapter[Setting | _Restored] = TypeAdapter(Setting | _Restored)
        for number, line in enumerate(whole, start=1):
            try:
                yield adapter.validate_json(line, strict=True)
            except ValidationError as error:
                raise _unreadable(
                    f"{self.path}:{number}",
                    "this line is not a setting",
                    "lines that linerate wrote",
                ) from error


def _unreadable(place: object, why: str, allowed: str) -> LinerateError:
    return bad_input(
        "journal", place, why=why, allowed=allowed,
        do="put its settings back by hand (before is what they were), then remove the file",
    )  # fmt: skip


def _started_ticks(pid: int) -> int | None:
    """Start of a process in ticks since boot; None if there is none of that number."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # the name, in brackets, may hold blanks and brackets of its own
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else int(fields[19])
