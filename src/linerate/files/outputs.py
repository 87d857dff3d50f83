"""Files that a command writes: each whole, or as it was before, and never one that it reads."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from linerate.errors import BadInputError, LinerateError, bad_input

if TYPE_CHECKING:  # pandas is slow to load, and most commands write no table
    import pandas as pd

TABLE_SUFFIXES = (".csv", ".parquet")
"""What tables are written as."""
CAMPAIGN_FILES = (
    "campaign.toml", "box.json", "boxes.json", "provenance.json", "journal.jsonl", "runs.csv",
    "runs.parquet", "searches.jsonl", "searches.csv", "searches.parquet", "answers.csv",
    "answers.parquet",
)  # fmt: skip
"""What a campaign's folder holds, and nothing else may replace."""


def check_outputs(outputs: Mapping[str, Path | None], inputs: Sequence[Path] = ()) -> None:
    """Refuse files that could not be written, or must not be, before anything is computed.

    Parameters
    ----------
    outputs
        File by the option that names it; None where it was not given.
    inputs
        Files and campaign folders that the command reads.

    Raises
    ------
    BadInputError
        No folder to write it in, a folder itself, a file that is read, or two files of one name.
    """
    read = {path.resolve() for given in inputs for path in _files_of(given)}
    for option, path in outputs.items():
        if path is None or _is_stream(path):
            continue
        if why := _obstacle(path) or ("it is read by this command" if path.resolve() in read else
                                      ""):  # fmt: skip
            raise _refused(option, path, why)
        read.add(path.resolve())


def check_table(path: Path, inputs: Sequence[Path] = ()) -> None:
    """Refuse a file that no table can be written to, named by ``--out``, likewise."""
    if path.suffix not in TABLE_SUFFIXES and not path.is_dir() and not _is_stream(path):
        raise bad_input("out", path, why="not a name of a table", allowed="a name ending in "
                        + " or ".join(TABLE_SUFFIXES), do="name such a file")  # fmt: skip
    check_outputs({"out": path}, inputs)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is never seen half-written.

    Raises
    ------
    LinerateError
        No permission, no space. A file that was there before stays as it was.
    """
    _write_by(path, lambda half_written: half_written.write_bytes(content))


def write_table(path: Path, table: pd.DataFrame) -> None:
    """Write a table as its suffix says, CSV where it has none; numbers read back exactly.

    Raises
    ------
    LinerateError
        No permission, no space. A file that was there before stays as it was.
    """
    write = table.to_parquet if path.suffix == ".parquet" else table.to_csv

    def write_to(half_written: Path) -> None:
        with half_written.open("wb") as file:  # pyarrow takes no name that is not UTF-8
            write(file, index=False)

    _write_by(path, write_to)


def _write_by(path: Path, write: Callable[[Path], object]) -> None:
    try:
        if _is_stream(path):
            write(path)  # nothing is kept there, and a device must not become a file
            return
        target = path.resolve()
        half_written = target.with_name(target.name + ".new")
        try:
            write(half_written)
            half_written.replace(target)
        finally:
            half_written.unlink(missing_ok=True)
    except OSError as error:
        raise LinerateError(
            f"out={path}: it cannot be written ({error.strerror or error}); free some space or "
            "name a folder that you may write to"
        ) from error


def _files_of(given: Path) -> list[Path]:
    return [given / name for name in CAMPAIGN_FILES] if given.is_dir() else [given]


def _is_stream(path: Path) -> bool:
    """Whether it is a device or a pipe, such as /dev/null or /dev/stdout."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _obstacle(path: Path) -> str:
    folder = path.resolve().parent
    if path.is_dir():
        return "it is a folder"
    if not folder.is_dir():
        return "its folder does not exist"
    if not os.access(folder, os.W_OK):
        return "its folder may not be written to"
    return ""


def _refused(option: str, path: Path, why: str) -> BadInputError:
    return bad_input(option, path, why=why, allowed="a file of its own, in a folder that exists "
                     "and may be written to", do="name another path")  # fmt: skip
