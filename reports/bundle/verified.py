"""Checking a bundle: its hashes; its table, its model and its report made again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from pydantic_core import from_json

from linerate.errors import LinerateError, bad_input
from linerate.files.store import Store
from linerate.measure.datapaths.registry import datapaths
from linerate.measure.datapaths.sources import sources_of
from linerate.measure.importers.logs.sources import SourceFile, source_files
from linerate.progress import Tell
from linerate.reports.bundle.asked import ASKED, read_asked
from linerate.reports.bundle.crate import CRATE, SOURCES, described_sources
from linerate.reports.bundle.numbers import TOLERANCE, differing_numbers
from linerate.reports.bundle.redrawn import differing, redrawn
from linerate.reports.bundle.written import (
    MODEL,
    REPORT,
    SUMS,
    VERSIONS,
    model_json,
    sums_of,
    versions,
)
from linerate.tables.runs import check_runs, read_runs

SHOWN_MAX = 5
"""Names of what differs that are shown."""
NAME_CHARACTERS_MAX = 200
"""Of such a name."""
VERSION_CHARACTERS_MAX = 40
BUNDLE_BYTES_MAX = 512 * 1024**2
"""Of all files of a bundle together, which are held in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was checked."""

    what: str
    holds: bool
    detail: str


def verify_bundle(path: Path, tell: Tell) -> tuple[Check, ...]:
    """Check a bundle; nothing of it is run, and nothing is unpacked but into a folder of its own.

    Parameters
    ----------
    path
        What ``linerate bundle`` wrote.
    tell
        Called with each part.

    Raises
    ------
    BadInputError
        No archive, a damaged one, or no bundle.
    """
    tell("files", 0, 4)
    found = list(_bounded(source_files(path), path))
    files = {file.path: file.content for file in found if not file.refused}
    if SUMS not in files:
        raise bad_input("path", path, why=f"it holds no {SUMS}", allowed="a file that linerate "
                        "bundle wrote", do="name such a file")  # fmt: skip
    checks = [_hashes(files, [file.path for file in found if file.refused])]
    checks += _sources(files)
    with TemporaryDirectory(prefix="linerate-") as folder:
        campaign = Path(folder) / "campaign"
        _unpack({name: content for name, content in files.items()
                 if name.startswith("campaign/")}, Path(folder), path)  # fmt: skip
        tell("table", 1, 4)
        checks.append(_attempted("table of runs", partial(_table, campaign)))
        if MODEL in files:
            tell("model", 2, 4)
            checks.append(_attempted("model", partial(_model, campaign, files[MODEL])))
        report = {name.removeprefix(REPORT): content for name, content in files.items()
                  if name.startswith(REPORT)}  # fmt: skip
        if report:
            tell("report", 3, 4)
            there = files.get(VERSIONS, b"{}")
            checks.append(_attempted("report", partial(_report, campaign, report, there)))
    tell("", 4, 4)
    return tuple(checks)


def _bounded(files: Iterable[SourceFile], path: Path) -> Iterator[SourceFile]:
    """Refuse more than a bundle has, and names that it never gives."""
    bytes_sum = 0
    for file in files:
        bytes_sum += len(file.content)
        if bytes_sum > BUNDLE_BYTES_MAX or not file.path.isprintable():
            why = "it holds too much" if file.path.isprintable() else (
                f"the name {file.path[:NAME_CHARACTERS_MAX]!a} cannot be printed")  # fmt: skip
            raise bad_input("path", path, why=why, allowed=f"at most {BUNDLE_BYTES_MAX} bytes in "
                            "files as linerate bundle names them",
                            do="do not trust this file")  # fmt: skip
        yield file


def _unpack(files: Mapping[str, bytes], folder: Path, path: Path) -> None:
    """Write files whose names were checked below a folder of our own."""
    try:
        for name, content in files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    except OSError as error:
        raise bad_input("path", path, why=f"its files cannot be unpacked ({error.strerror})",
                        allowed="a file that linerate bundle wrote",
                        do="fetch it anew, or free some space") from error  # fmt: skip


def _hashes(files: Mapping[str, bytes], refused: Sequence[str]) -> Check:
    listed = set(files[SUMS].splitlines())
    there = set(sums_of({name: files[name] for name in files if name != SUMS}).splitlines())
    wrong = sorted({_name(line) for line in listed ^ there} | set(refused))
    detail = f"differ from {SUMS}: {_shown(wrong)}" if wrong else f"{len(listed)} files"
    return Check(what="hashes", holds=not wrong, detail=detail)


def _sources(files: Mapping[str, bytes]) -> list[Check]:
    """Compare sources of programs with what the description says of them; none in old bundles."""
    there = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()
             if name.startswith(SOURCES)}  # fmt: skip
    try:
        described = described_sources(files.get(CRATE, b""))
    except ValueError as error:
        return [Check(what="sources", holds=False, detail=str(error))]
    if not there and not described:
        return []
    wrong = sorted(name for name in there.keys() | described.keys()
                   if there.get(name) != described.get(name))  # fmt: skip
    detail = f"differ from {CRATE}: {_shown(wrong)}" if wrong else _here(files, there)
    return [Check(what="sources", holds=not wrong, detail=detail)]


def _here(files: Mapping[str, bytes], names: Collection[str]) -> str:
    """Say how many sources are those of this linerate; no name of the archive is opened."""
    ours = ((one.name, program) for one in datapaths().values() for program in one.programs)
    own = sources_of(ours)
    same = sum(own.get(name.removeprefix(SOURCES)) == files[name] for name in names)
    return f"{len(names)} files, {same} of them as in this linerate"


def _name(line: bytes) -> str:
    return line.partition(b"  ")[2].decode(errors="replace")


def _shown(names: Sequence[str]) -> str:
    """Name the first of many, and of a long name its beginning."""
    shown = [one if len(one) <= NAME_CHARACTERS_MAX else f"{one[:NAME_CHARACTERS_MAX]}..."
             for one in names[:SHOWN_MAX]]  # fmt: skip
    return ", ".join([*shown, *(["..."] if len(names) > SHOWN_MAX else [])])


def _attempted(what: str, check: Callable[[], Check]) -> Check:
    """Take what stops a check as its result."""
    try:
        return check()
    except (LinerateError, OSError) as error:
        return Check(what=what, holds=False, detail=str(error))


def _table(campaign: Path) -> Check:
    """Make the table from the journal again; compare each column that both have."""
    kept = read_runs([campaign])
    made = check_runs(Store(campaign).write_runs())
    shared = [name for name in kept.columns if name in made.columns]
    wrong = [f"{len(kept)} rows, {len(made)} made again"] if len(kept) != len(made) else [
        name for name in shared if not _same(kept[name], made[name])
    ]  # fmt: skip
    detail = f"{len(kept)} rows, {len(shared)} columns made again from the journal"
    return Check(what="table of runs", holds=not wrong,
                 detail=f"differs: {_shown(wrong)}" if wrong else detail)  # fmt: skip


def _same(kept: pd.Series, made: pd.Series) -> bool:
    empty = kept.isna().to_numpy()
    if (empty != made.isna().to_numpy()).any():
        return False
    return bool((kept[~empty].to_numpy() == made[~empty].to_numpy()).all())


def _model(campaign: Path, kept: bytes) -> Check:
    """Fit again; compare all numbers of the model file."""
    made = model_json(read_runs([campaign]))
    if made is None:
        return Check(what="model", holds=False, detail="these runs fit no model")
    try:
        wrong = differing_numbers(kept, made)
    except ValueError as error:
        return Check(what="model", holds=False, detail=f"{MODEL}: {error}")
    held = f"all numbers within {TOLERANCE:g} of those fitted again"
    detail = f"differs: {_shown(wrong)}" if wrong else held
    return Check(what="model", holds=not wrong, detail=detail)


def _report(campaign: Path, kept: Mapping[str, bytes], there: bytes) -> Check:
    """Draw and print again; compare every figure, every table and the page."""
    made = redrawn(campaign, read_asked(kept.get(ASKED), "of the bundle"))
    wrong = list(differing(kept, made))
    if wrong:
        detail = f"differs: {_shown(wrong)}{_other(there)}"
        return Check(what="report", holds=False, detail=detail)
    same = sum(kept[name] == content for name, content in made.items())
    detail = f"{len(made)} files drawn and printed again, {same} of them the same bytes"
    return Check(what="report", holds=True, detail=detail)


def _other(there: bytes) -> str:
    """Say which versions are others than those that made the bundle: that may be why."""
    try:
        kept = from_json(there)
    except ValueError:
        return ""
    if not isinstance(kept, dict):
        return ""
    others = [
        f"{name} {str(kept[name])[:VERSION_CHARACTERS_MAX]}, here {here}"
        for name, here in versions().items() if name in kept and kept[name] != here
    ]  # fmt: skip
    return f"; made with {'; '.join(others)}" if others else ""
