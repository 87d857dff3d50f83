"""Sources of our own programs: what is compiled into what a campaign ran, with its headers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from linerate.measure.datapaths.own import is_own
from linerate.measure.datapaths.registry import datapaths
from linerate.measure.processes.built import PACKAGE

SUFFIXES = (".c", ".h", ".py", ".mk", ".sh", "Makefile")
"""How names of sources in a folder end."""
RUNNERS = ("measure/native/common", "measure/native/kernel", "measure/native/Makefile")
"""What every runner in C is linked with, and how."""
OBJECTS = ("bpf/Makefile",)
"""How every BPF object is compiled."""
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"\n]+)"', re.MULTILINE)
FOLDERS = ("bpf", "", "measure/native")
"""Where quoted headers are looked for, after the folder of who includes them."""


def sources_of(programs: Iterable[tuple[str, str]], root: Path = PACKAGE) -> dict[str, bytes]:
    """Read the sources of programs of ours, and every header of ours that they include.

    Parameters
    ----------
    programs
        Datapath and program. The user's own are left out: a campaign keeps copies of these. So are
        datapaths that are not known here.
    root
        The clone, or the installed package.

    Returns
    -------
    Content of each file, by its path from the root, sorted.
    """
    named = {one for datapath, program in programs for one in named_sources(datapath, program)}
    found: dict[str, bytes] = {}
    open_ = [path for one in named for path in _files(root / one)]
    while open_:
        path = open_.pop()
        name = path.relative_to(root).as_posix()
        if name not in found:
            found[name] = path.read_bytes()
            open_ += _included(path, found[name], root)
    return dict(sorted(found.items()))


def named_sources(datapath: str, program: str) -> tuple[str, ...]:
    """Name files and folders, from the root, that a program of ours is built from.

    Parameters
    ----------
    datapath, program
        Empty where the program is the user's own, or the datapath is not known here.
    """
    known = datapaths().get(datapath)
    if known is None or is_own(program):
        return ()
    own = known.sources(program)
    native = any("/native" in one for one in own)
    objects = any(one.startswith("bpf/") for one in own)
    return (*own, *(RUNNERS if native else ()), *(OBJECTS if objects else ()))


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from (one for one in path.rglob("*") if one.is_file() and one.name.endswith(SUFFIXES))
    elif path.is_file():
        yield path


def _included(path: Path, content: bytes, root: Path) -> Iterator[Path]:
    """Find the headers that a source includes; neither generated ones nor the system's."""
    for name in INCLUDE.findall(content.decode(errors="replace")):
        for folder in (path.parent, *(root / one for one in FOLDERS)):
            if (folder / name).is_file():
                yield root / (folder / name).resolve().relative_to(root.resolve())
                break
