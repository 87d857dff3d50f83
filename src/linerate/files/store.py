"""A campaign's folder: the plan as run, the box, a journal that survives, tables derived from it.

``campaign.toml`` and ``box.json`` are written once. ``journal.jsonl`` gains one line for each
finished trial, on disk before the next trial begins; a line cut short by a crash or a full disk
is dropped when read, and one whose checksum does not fit is refused by its number until a resumed
campaign sets it aside and measures its trial again. ``runs.parquet`` and ``runs.csv`` are derived
from it at any time. Finished searches are lines of ``searches.jsonl`` in the same way, and rows of
``searches.csv``; what they answer together is in ``answers.csv``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd
from pydantic import TypeAdapter, ValidationError

from linerate.box import Box, box_from
from linerate.errors import LinerateError, bad_input
from linerate.files.journal import runs_in, searches_in, trials_in
from linerate.files.lab_boxes import LabBoxes
from linerate.files.lines import append_line, drop_open_line, set_aside_spoiled
from linerate.files.outputs import write_table, write_whole
from linerate.records import JournalEntry, planned_id
from linerate.searches import SearchEntry
from linerate.tables.search_answers import answers_table
from linerate.tables.search_table import searches_from
from linerate.tables.tidy import drift_of_searches, table_of

BEGUN_WITH = ("campaign.toml", "box.json", "boxes.json", "provenance.json")
"""What a folder has before its journal."""


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
    spoiled: tuple[str, ...] = ()
    """Lines that were not as they were written when it was resumed, each by file and number."""
    on_kept: Callable[[JournalEntry | SearchEntry], None] | None = None
    """Called with each trial and search, once it is on disk."""
    testbed: str = ""
    """Box of a lab whose trials these are; empty where the campaign has one box."""

    @classmethod
    def create(
        cls, folder: Path, plan_toml: str, box: Box, provenance: Provenance,
        files: Mapping[str, bytes] = MappingProxyType({}),
    ) -> Store:  # fmt: skip
        """Make the folder of a new campaign, with a copy of each file that the plan names.

        Raises
        ------
        BadInputError
            The folder holds a campaign already, or files of somebody's.
        LinerateError
            It cannot be written; what was begun is begun again without further ado.
        """
        store = cls(folder)
        if store.journal_path.exists() or store._plan() not in (None, "", plan_toml):
            raise bad_input(
                "out", folder, why="it holds a campaign already", allowed="a new or empty folder",
                do="add --resume to go on with it, or name another folder",
            )  # fmt: skip
        store._check_foreign(files)
        whole = {
            **files,
            "campaign.toml": plan_toml.encode(),
            "box.json": (json.dumps(asdict(box), indent=2) + "\n").encode(),
            "provenance.json": (json.dumps(asdict(provenance)) + "\n").encode(),
        }
        try:
            for name, content in whole.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                write_whole(folder / name, content)
            store.journal_path.touch(exist_ok=False)
        except OSError as error:
            raise LinerateError(f"out={folder}: it cannot be written ({error.strerror})") from error
        return store

    @classmethod
    def resume(
        cls, folder: Path, plan_toml: str, box: Box,
        files: Mapping[str, bytes] = MappingProxyType({}),
    ) -> Store:  # fmt: skip
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
        store._check_files(files)
        begun = store.box()
        if begun.checked_hash != box.checked_hash:
            raise bad_input(
                "box", box.name, why=f"it is not the machine (or kernel) of {begun.name} any more",
                allowed="the box of box.json", do="measure it as a campaign of its own",
            )  # fmt: skip
        store._drop_open_lines()
        return replace(store, spoiled=tuple(store._set_aside()))

    @property
    def journal_path(self) -> Path:
        """The journal's file."""
        return self.folder / "journal.jsonl"

    @property
    def searches_path(self) -> Path:
        """The file of finished searches."""
        return self.folder / "searches.jsonl"

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

    def boxes(self) -> dict[str, Box]:
        """Read every box that has measured it, by the name that its trials carry."""
        lab = LabBoxes.read(self.folder)
        return {"": self.box(), **(lab.boxes if lab else {})}

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
        """Add a finished trial, of this box where it names none; on disk when this returns.

        Raises
        ------
        LinerateError
            The disk is full or gone. What was there stays whole; only this trial is lost.
        """
        self._keep(self.journal_path, entry)

    def append_search(self, entry: SearchEntry) -> None:
        """Add a finished search; on disk when this returns."""
        self.searches_path.touch()  # append follows no link
        self._keep(self.searches_path, entry)

    def entries(self) -> Iterator[JournalEntry]:
        """Read the finished trials in order; a cut last line is left out."""
        return trials_in(self.journal_path)

    def failures(self) -> list[JournalEntry]:
        """List the trials that ended with the device, of runs that were not measured since."""
        last = {planned_id(entry.run_id): entry for entry in self.entries()}
        return [entry for entry in last.values() if entry.trial.failure]

    def searches(self) -> Iterator[SearchEntry]:
        """Read the finished searches in order; none where there is no such file."""
        if not self.searches_path.exists():
            return iter(())
        return searches_in(self.searches_path)

    def write_runs(self) -> pd.DataFrame:
        """Derive runs.parquet and runs.csv from the journal; return the table."""
        provenance = self.provenance()
        table = table_of(
            runs_in(self.journal_path), self.boxes(), provenance.campaign, provenance.git_revision
        )
        self._write(table, "runs")
        return table

    def write_searches(self) -> pd.DataFrame | None:
        """Derive the tables of searches and of answers; None where no search is finished.

        Returns
        -------
        The table of searches, as searches.parquet and searches.csv have it.
        """
        finished = list(self.searches())
        if not finished:
            return None
        provenance = self.provenance()
        table = searches_from(
            finished, self.boxes(), provenance.campaign, provenance.git_revision,
            drift_of_searches(runs_in(self.journal_path)),
        )  # fmt: skip
        self._write(table, "searches")
        self._write(answers_table(table), "answers")
        return table

    def _keep(self, path: Path, entry: JournalEntry | SearchEntry) -> None:
        entry = replace(entry, box=entry.box or self.testbed)
        _append_line(path, asdict(entry))
        if self.on_kept:
            self.on_kept(entry)

    def _write(self, table: pd.DataFrame, name: str) -> None:
        for suffix in ("parquet", "csv"):
            try:
                write_table(self.folder / f"{name}.{suffix}", table)
            except LinerateError as error:
                raise LinerateError(f"{error}; the journal is whole, --resume goes on") from error

    def _check_foreign(self, files: Mapping[str, bytes]) -> None:
        """Refuse a folder with anything but what is left of a campaign that could not be begun."""
        known = {*BEGUN_WITH, *(Path(name).parts[0] for name in files)}
        there = sorted(path.name for path in self.folder.glob("*")) if self.folder.is_dir() else []
        foreign = [name for name in there if name.removesuffix(".new") not in known]
        links = [name for name in there if (self.folder / name).is_symlink()]
        if foreign or links:
            raise bad_input(
                "out", self.folder,
                why=f"it holds {(foreign + links)[0]}, which is not a campaign's",
                allowed="a new or empty folder", do="name another folder",
            )  # fmt: skip

    def _set_aside(self) -> Iterator[str]:
        for path in (self.journal_path, self.searches_path):
            if path.exists():
                yield from (f"{path.name}:{number}" for number in set_aside_spoiled(path))

    def _check_files(self, files: Mapping[str, bytes]) -> None:
        for name, content in files.items():
            copy = self.folder / name
            if not copy.is_file() or copy.read_bytes() != content:
                raise bad_input(
                    "file", name, why="it differs from its copy of when the plan was begun",
                    allowed=f"what {copy} holds", do="begin the changed plan in another folder",
                )  # fmt: skip

    def _plan(self) -> str | None:
        """Text of the plan as begun; None where there is none that can be read."""
        try:
            return (self.folder / "campaign.toml").read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def _drop_open_lines(self) -> None:
        for path in (self.journal_path, self.searches_path):
            if path.exists():
                drop_open_line(path)


def _append_line(path: Path, fields: dict[str, Any]) -> None:
    """Add one line to a file of lines, or leave the file as it was."""
    try:
        append_line(path, fields)
    except OSError as error:
        raise LinerateError(
            f"journal={path}: it cannot grow ({error.strerror}); every trial before this one is "
            "safe; free some space and go on with --resume"
        ) from error
