"""A campaign's folder: the plan as run, the box, a journal that survives, tables derived from it.

``campaign.toml`` and ``box.json`` are written once. ``journal.jsonl`` gains one line for each
finished trial, on disk before the next trial begins; a line cut short by a crash or a full disk
is dropped when read. ``runs.parquet`` and ``runs.csv`` are derived from it at any time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import pandas as pd
from pydantic import TypeAdapter, ValidationError

from linerate.box import Box, box_from
from linerate.errors import LinerateError, bad_input
from linerate.records import JournalEntry
from linerate.tidy import runs_from

_ENTRY = TypeAdapter(JournalEntry)
JOURNAL_BYTES_MAX = 4 * 1024**3
"""A larger journal is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What ties the rows of a table to the campaign that measured them."""

    campaign: str
    git_revision: str
    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Store:
    """One campaign's folder on disk."""

    folder: Path

    @classmethod
    def create(cls, folder: Path, plan_toml: str, box: Box, provenance: Provenance) -> Store:
        """Make the folder of a new campaign.

        Raises
        ------
        BadInputError
            The folder holds a campaign already.
        LinerateError
            It cannot be written.
        """
        store = cls(folder)
        if store.journal_path.exists() or store._plan() not in (None, "", plan_toml):
            raise bad_input(
                "out", folder, why="it holds a campaign already", allowed="a new or empty folder",
                do="add --resume to go on with it, or name another folder",
            )  # fmt: skip
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "campaign.toml").write_text(plan_toml, encoding="utf-8")
            (folder / "box.json").write_text(json.dumps(asdict(box), indent=2) + "\n")
            (folder / "provenance.json").write_text(json.dumps(asdict(provenance)) + "\n")
            store.journal_path.touch()
        except OSError as error:
            raise LinerateError(f"out={folder}: it cannot be written ({error.strerror})") from error
        return store

    @classmethod
    def resume(cls, folder: Path, plan_toml: str, box: Box) -> Store:
        """Open the folder of a campaign that was begun; refuse another plan or machine."""
        store = cls(folder)
        if not store.journal_path.exists():
            raise bad_input(
                "out", folder, why="it holds no campaign to resume", allowed="a folder that "
                "linerate measure --out made", do="leave out --resume to begin one",
            )  # fmt: skip
        if store._plan() != plan_toml:
            raise bad_input(
                "campaign", folder / "campaign.toml", why="the plan differs from the one begun",
                allowed="the same file", do="begin the changed plan in another folder",
            )  # fmt: skip
        begun = store.box()
        if begun.checked_hash != box.checked_hash:
            raise bad_input(
                "box", box.name, why=f"it is not the machine (or kernel) of {begun.name} any more",
                allowed="the box of box.json", do="measure it as a campaign of its own",
            )  # fmt: skip
        store._drop_open_line()
        return store

    @property
    def journal_path(self) -> Path:
        """The journal's file."""
        return self.folder / "journal.jsonl"

    def box(self) -> Box:
        """Read the box that the campaign runs on."""
        path = self.folder / "box.json"
        try:
            fields = json.loads(path.read_bytes())
        except (OSError, ValueError) as error:
            raise bad_input(
                "box", path, why=f"it cannot be read ({error})", allowed="the file as it was "
                "written", do="restore it, or measure anew",
            ) from error  # fmt: skip
        return box_from(fields, str(path))

    def provenance(self) -> Provenance:
        """Read what the campaign was begun with."""
        path = self.folder / "provenance.json"
        try:
            return TypeAdapter(Provenance).validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise bad_input(
                "provenance", path, why="it cannot be read", allowed="the file as it was written",
                do="restore it, or measure anew",
            ) from error  # fmt: skip

    def append(self, entry: JournalEntry) -> None:
        """Add a finished trial; on disk when this returns.

        Raises
        ------
        LinerateError
            The disk is full or gone. What was there stays whole; only this trial is lost.
        """
        line = (json.dumps(asdict(entry)) + "\n").encode()
        size = self.journal_path.stat().st_size
        try:
            with self.journal_path.open("ab", buffering=0) as journal:
                while line:  # a disk that fills up takes a part; the next write says why
                    line = line[journal.write(line) :]
                os.fsync(journal.fileno())
        except OSError as error:
            with suppress(OSError):
                os.truncate(self.journal_path, size)
            raise LinerateError(
                f"journal={self.journal_path}: it cannot grow ({error.strerror}); every trial "
                "before this one is safe; free some space and go on with --resume"
            ) from error

    def entries(self) -> Iterator[JournalEntry]:
        """Read the finished trials in order; a cut last line is left out."""
        if self.journal_path.stat().st_size > JOURNAL_BYTES_MAX:
            raise bad_input(
                "journal", self.journal_path, why="it is too large",
                allowed=f"at most {JOURNAL_BYTES_MAX} bytes", do="split the campaign",
            )  # fmt: skip
        lines = self.journal_path.read_bytes().split(b"\n")
        for number, line in enumerate(lines[:-1], start=1):
            try:
                yield _ENTRY.validate_json(line)
            except (ValidationError, ValueError) as error:
                raise bad_input(
                    "journal", f"{self.journal_path}:{number}", why="this line is no trial",
                    allowed="lines as linerate measure wrote them",
                    do="take the line out by hand if the rest is to be kept",
                ) from error  # fmt: skip

    def write_runs(self) -> pd.DataFrame:
        """Derive runs.parquet and runs.csv from the journal; return the table."""
        provenance = self.provenance()
        table = runs_from(
            list(self.entries()), self.box(), provenance.campaign, provenance.git_revision
        )
        for suffix, write in (("parquet", table.to_parquet), ("csv", table.to_csv)):
            half_written = self.folder / f"runs.{suffix}.tmp"
            try:
                write(half_written, index=False)
                half_written.replace(self.folder / f"runs.{suffix}")
            except OSError as error:
                half_written.unlink(missing_ok=True)
                raise LinerateError(
                    f"runs.{suffix}: it cannot be written ({error.strerror}); the journal is "
                    "whole; free some space and run with --resume"
                ) from error
        return table

    def _plan(self) -> str | None:
        """Text of the plan as begun; None where there is none that can be read."""
        try:
            return (self.folder / "campaign.toml").read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def _drop_open_line(self) -> None:
        content = self.journal_path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.truncate(self.journal_path, whole)
