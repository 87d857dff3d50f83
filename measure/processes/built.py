"""Where the built runners and BPF objects are: in the clone, or in the user's cache."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from linerate.errors import CannotHereError, cannot_here

PACKAGE = Path(__file__).resolve().parents[2]
"""The clone, or what pip installed."""
STAMP = "build/stamp"
"""Of what pip installed: names the sources that it carries."""


def is_clone() -> bool:
    """Whether this is a clone, and no installed wheel."""
    return (PACKAGE / "pyproject.toml").is_file()


def build_folder() -> Path:
    """Folder of what is built for this machine.

    Returns
    -------
    LINERATE_BUILD where that is set; ``build`` of the clone; else of the user's cache, below a name
    of the sources, so that two releases keep out of each other's way. Under sudo that of the user
    who called it, where ``linerate setup`` has filled it.
    """
    named = os.environ.get("LINERATE_BUILD")
    if named:
        return Path(named)
    if is_clone():
        return PACKAGE / "build"
    own, callers = _cache(), _cache_of_caller()
    if callers is not None and not (own / "native").is_dir() and _trusted(callers / "native"):
        return callers
    return own


def build_command() -> str:
    """Name the command that fills it."""
    return "make setup" if is_clone() else "linerate setup"


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


def _cache() -> Path:
    named = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(named):
        return _of_sources(Path(named))
    try:
        return _of_sources(Path.home() / ".cache")
    except RuntimeError:
        raise cannot_here("HOME", why="this user has none, and no cache in it",
                          do="set XDG_CACHE_HOME to a folder of yours") from None  # fmt: skip


def _cache_of_caller() -> Path | None:
    """Folder of the user who called sudo; None without one."""
    caller = os.environ.get("SUDO_USER", "")
    if os.geteuid() or not caller or "/" in caller:
        return None
    home = os.path.expanduser(f"~{caller}")
    return _of_sources(Path(home) / ".cache") if os.path.isabs(home) else None


def _of_sources(cache: Path) -> Path:
    stamp = PACKAGE / STAMP
    name = stamp.read_text(encoding="ascii").strip() if stamp.is_file() else "unnamed"
    return cache / "linerate" / name / "build"


def _trusted(folder: Path) -> bool:
    """Whether who could change it could change what runs here anyway."""
    if not folder.is_dir():
        return False
    owner = folder.stat().st_uid
    return owner in (0, PACKAGE.stat().st_uid)


def _built(path: Path) -> Path:
    if not path.is_file():
        raise _not_built(path)
    return path


def _not_built(path: Path) -> CannotHereError:
    return cannot_here(
        str(path), why="it is not built; a C compiler and libbpf are needed to build it",
        do=f"run `{build_command()}`; `linerate doctor` says what is missing",
    )  # fmt: skip
