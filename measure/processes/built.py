"""Where the built runners and BPF objects are."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from linerate.errors import CannotHereError, cannot_here


def build_folder() -> Path:
    """Folder of what ``make setup`` builds; LINERATE_BUILD names another one."""
    named = os.environ.get("LINERATE_BUILD")
    return Path(named) if named else Path(__file__).resolve().parents[2] / "build"


def runner(name: str) -> Path:
    """Path of a native runner, e.g. ``traffic``."""
    return _built(build_folder() / "native" / name)


def program_object(name: str) -> Path:
    """Path of a program's BPF object, e.g. of ``map_lookup``."""
    return _built(build_folder() / "bpf" / f"{name}.bpf.o")


def function(name: str) -> Path:
    """Path of a shared object of ours with packet functions, e.g. ``verdicts``."""
    return _built(functions_folder() / f"{name}.so")


def functions_folder() -> Path:
    """Folder of these, where a campaign of ours names them as a user names their own."""
    return build_folder() / "native/functions"


def content_hash(path: Path) -> str:
    """SHA-256 of a file, first 16 hex digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def _built(path: Path) -> Path:
    if not path.is_file():
        raise _not_built(path)
    return path


def _not_built(path: Path) -> CannotHereError:
    return cannot_here(
        str(path), why="it is not built; clang, bpftool and libbpf are needed to build it",
        do="run `make setup` as root; `linerate doctor` says what is missing",
    )  # fmt: skip
