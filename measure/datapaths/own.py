"""The user's own programs: files beside a campaign file, told from names of ours by a suffix.

A datapath's record says which suffixes it takes (``own``); a path is checked when the campaign is
read, and handed to the datapath's bench as ``Where.program``, a file that is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath, PurePosixPath

from linerate.cells import Cell
from linerate.errors import bad_input
from linerate.measure.datapaths.registry import datapath_named
from linerate.settings import Pairs, SettingsType, declared, settings_from


def is_own(program: str) -> bool:
    """Whether a program's name is the path of the user's own file.

    >>> is_own("mine/router.spec"), is_own("map_lookup")
    (True, False)
    """
    return bool(PurePath(program).suffix)


def settings_of_program(datapath: str, program: str) -> type[SettingsType] | None:
    """Return the settings that a datapath has for a program; None where it has none."""
    record = datapath_named(datapath)
    return (is_own(program) and record.own_settings) or record.settings


def cost_of(cell: Cell) -> str:
    """Say which model a cell's runs go to."""
    record = datapath_named(cell.datapath)
    return (is_own(cell.program) and record.own_cost) or record.cost


def check_own_path(field: str, path: str, suffixes: Sequence[str], taker: str) -> None:
    """Refuse a path that leads out of the campaign's folder, or is of another kind of file.

    Parameters
    ----------
    field, path
        What of the campaign file names which file.
    suffixes
        What such a file may end in; empty where none is taken.
    taker
        Who takes it.

    Raises
    ------
    BadInputError
        It cannot be that file.
    """
    if not path.endswith(tuple(suffixes)):
        raise bad_input(
            field, path, why=f"{taker} takes no such file",
            allowed=f"a path that ends in {' or '.join(suffixes)}" if suffixes
            else "its programs by name, as no file of one's own", do="correct it, or ask for "
            "another datapath",
        )  # fmt: skip
    if path.startswith("/") or ".." in PurePosixPath(path).parts:
        raise bad_input(
            field, path, why="a campaign keeps a copy of each file it names, in its own folder",
            allowed=f"a path beside or below the campaign file, with {' or '.join(suffixes)}",
            do="move the file there, or correct the path",
        )  # fmt: skip


def own_program(cell: Cell, folder: Path) -> Path | None:
    """Find the user's own program of a cell; None for one of ours.

    Raises
    ------
    BadInputError
        It is not there, or none that the datapath takes.
    """
    if not is_own(cell.program):
        return None
    check_own_path("program", cell.program, datapath_named(cell.datapath).own, cell.datapath)
    return _there("program", cell.program, folder)


def read_own_files(cells: Iterable[Cell], folder: Path) -> dict[str, bytes]:
    """Read all files that cells need, by path: their programs, and what their settings name.

    Raises
    ------
    BadInputError
        One is not there.
    """
    named = [named for cell in cells if is_own(cell.program) for named in _files_of(cell)]
    return {path: _there(field, path, folder).read_bytes() for field, path in dict.fromkeys(named)}


def _files_of(cell: Cell) -> list[tuple[str, str]]:
    """List what of a cell names which file."""
    files = [("program", cell.program)]
    kind = settings_of_program(cell.datapath, cell.program)
    if kind is None:
        return files
    settings = settings_from(kind, cell.settings)
    for each in declared(kind):
        if each.type == Pairs:
            pairs: Pairs = getattr(settings, each.name)
            files += [(f"{each.name}.{key}", path) for key, path in pairs]
        elif each.about.suffixes and (path := getattr(settings, each.name)):
            files.append((each.name, path))
    return files


def _there(field: str, path: str, folder: Path) -> Path:
    if not (folder / path).is_file():
        raise bad_input(
            field, path, why=f"there is no such file in {folder}",
            allowed="a file beside or below the campaign file", do="put it there, or correct the "
            "path",
        )  # fmt: skip
    return folder / path
