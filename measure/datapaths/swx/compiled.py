"""Pipelines of DPDK's SWX: from their text to a shared object, compiled once."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from linerate.errors import BadInputError, CannotHereError, LinerateError, bad_input, cannot_here
from linerate.measure.datapaths.swx.spec.checks.guard import guarded
from linerate.measure.datapaths.swx.spec.checks.padding import padded
from linerate.measure.datapaths.swx.spec.checks.ports import last_port
from linerate.measure.datapaths.swx.spec.file import parse_spec
from linerate.measure.datapaths.swx.spec.memory import memory_mib
from linerate.measure.datapaths.swx.spec.printed import print_spec
from linerate.measure.datapaths.swx.spec.spec import Spec
from linerate.measure.generators.live_frames import last_words
from linerate.measure.processes import built

COMPILE_SECONDS_MAX = 300.0
COMPILED_KEPT = 512
"""Shared objects of some tens of kB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineText:
    """A pipeline and what its tables hold."""

    spec: str
    """Text of the ``.spec``. DPDK gets what `print_spec` writes of it."""
    tables: tuple[tuple[str, str], ...] = ()
    """Pairs (name, entries), an entry a line as DPDK reads it: our own, or `read_entries`'."""

    @property
    def last_port(self) -> int:
        """Last of its output ports: 0 sends back, and on the others packets end."""
        return _last_port(self)

    def memory_mib(self, instances: int) -> int:
        """Memory that so many instances start with, MiB."""
        return memory_mib(_parsed(self), instances)

    @property
    def content_hash(self) -> str:
        """SHA-256 of pipeline and tables, 16 hex digits."""
        return hashlib.sha256(repr((self.spec, self.tables)).encode()).hexdigest()[:16]


@cache
def _last_port(program: PipelineText) -> int:
    entries = (line for _, text in program.tables for line in text.splitlines())
    return last_port(_parsed(program), entries)


@cache
def _parsed(program: PipelineText) -> Spec:
    return parse_spec(program.spec)


def headers_folder() -> Path:
    """Folder of the headers that compiled pipelines include and libdpdk-dev lacks."""
    folder = built.build_folder() / "dpdk/include"
    if not (folder / "version").is_file():
        raise cannot_here(
            str(folder), why="DPDK's internal headers are not there; they come out of the "
            "distribution's source package of dpdk",
            do=f"run `{built.build_command()}` with network access",
        )  # fmt: skip
    return folder


def compile_program(program: PipelineText) -> Path:
    """Compile a pipeline, or find it compiled, and return its shared object.

    Raises
    ------
    BadInputError
        We refuse the pipeline, or DPDK does.
    CannotHereError
        DPDK's headers, the compiler or the runner is missing.
    LinerateError
        It could not be compiled.
    """
    builder, include = built.runner("swx_build"), headers_folder()
    text = print_spec(padded(guarded(_parsed(program), program.last_port)))
    made_of = (text, (include / "version").read_text(), built.content_hash(builder))
    name = hashlib.sha256("\0".join(made_of).encode()).hexdigest()[:32]
    folder = _own_folder(built.build_folder() / "swx")
    library = folder / f"{name}.so"
    if library.is_file() and sha256_file(library).is_file():
        library.touch()
        return library
    _forget_oldest(folder)
    spec = library.with_suffix(".spec")
    spec.write_text(text, encoding="ascii")
    sha256 = _build([builder, "--spec", spec, "--library", library, "--include", include])
    beside = folder / f"{name}.{os.getpid()}"
    beside.write_text(sha256, encoding="ascii")
    beside.replace(sha256_file(library))
    return library


def sha256_file(library: Path) -> Path:
    """Path of the file that says what a shared object's bytes are: the runner loads no others."""
    return library.with_suffix(".sha256")


def _own_folder(folder: Path) -> Path:
    """Make the folder of what is loaded into a runner of ours, or take it if only we write there.

    Raises
    ------
    BadInputError
        Others can write there.
    """
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    status = folder.lstat()
    others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if status.st_uid != os.geteuid() or others or not stat.S_ISDIR(status.st_mode):
        raise bad_input(
            "build", folder, why="others can put into it what then runs with our rights",
            allowed="a folder of ours that nobody else writes to", do=f"rm -r {folder}",
        )  # fmt: skip
    return folder


def _build(argv: list[str | Path]) -> str:
    """Run the builder and return the SHA-256 of what it made."""
    try:
        done = subprocess.run(
            list(map(str, argv)), capture_output=True, text=True, timeout=COMPILE_SECONDS_MAX,
            check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise LinerateError(
            f"swx: the compiler took over {COMPILE_SECONDS_MAX:.0f} s; it was stopped"
        ) from None
    if done.returncode:
        kind = {2: BadInputError, 4: CannotHereError}.get(done.returncode, LinerateError)
        raise kind(f"swx: {last_words(done.stderr) or done.returncode}")
    return str(json.loads(done.stdout)["sha256"])


def _forget_oldest(folder: Path) -> None:
    by_age = sorted(folder.glob("*.so"), key=lambda path: path.stat().st_mtime)
    for library in by_age[: max(0, len(by_age) + 1 - COMPILED_KEPT)]:
        library.unlink(missing_ok=True)
        for suffix in (".spec", ".sha256"):
            library.with_suffix(suffix).unlink(missing_ok=True)
