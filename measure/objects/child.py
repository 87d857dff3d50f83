"""The child process that loads a user's object: limited in time and memory, and gone at the end."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Sequence
from pathlib import Path

from linerate.errors import BadInputError, CannotHereError, LinerateError, cannot_here
from linerate.measure.labs.namespace import Namespace
from linerate.measure.processes import built

SECONDS_MAX = 60
"""A test run is bounded by its counts; this ends one that is not."""
MEMORY_BYTES_MAX = 4 << 30
LINES_LAST = 14


def run_child(
    path: Path, flags: Sequence[str | Path], place: Namespace | None = None,
    copy: Path | None = None,
) -> str:  # fmt: skip
    """Have the runner load an object, which needs root, and return what it printed.

    Parameters
    ----------
    path
        The object.
    flags
        The runner's options beside it.
    place
        Namespace to run it in; None for that of this process.
    copy
        What is loaded in its place; errors call it by the object's path.

    Raises
    ------
    BadInputError
        The object cannot be used; the words are libbpf's or the verifier's.
    CannotHereError
        Rights are missing.
    LinerateError
        It did not end, or was killed.
    """
    if os.geteuid():
        raise cannot_here("root", why="loading a BPF program needs CAP_BPF and CAP_NET_ADMIN",
                          do="run it with sudo")  # fmt: skip
    command = [built.runner("bpf_object"), "--object", copy or path, *flags]
    return run_limited(path, place.argv(command) if place else command)


def run_limited(path: Path, argv: Sequence[str | Path]) -> str:
    """Run a child on a user's file, with bounded time and memory, and return what it printed.

    Parameters
    ----------
    path
        What errors call the file.
    argv
        The child's command.

    Raises
    ------
    BadInputError
        The file cannot be used; the words are the child's.
    CannotHereError
        Rights are missing.
    LinerateError
        It did not end, or was killed.
    """
    # Its priority counts where a session has its own share of the cores; SIGINT ends it by us.
    try:
        done = subprocess.run(
            [*map(str, argv)], capture_output=True, timeout=SECONDS_MAX, check=False,
            stdin=subprocess.DEVNULL, preexec_fn=_limit, start_new_session=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise LinerateError(f"{path}: no end after {SECONDS_MAX} s; it was stopped") from None
    if done.returncode:
        raise _refusal(path, done.returncode, done.stderr.decode("ascii", "replace"))
    return done.stdout.decode("ascii", "replace")


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES_MAX, MEMORY_BYTES_MAX))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_MAX, SECONDS_MAX))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _refusal(path: Path, code: int, output: str) -> LinerateError:
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    words = "\n  ".join(lines[-LINES_LAST:]) or "no reason was given"
    if code == CannotHereError.exit_code:
        return CannotHereError(f"{path}: {words}; linerate doctor says what this machine can run")
    if code < 0:
        return LinerateError(f"{path}: the child that loads it was killed by signal {-code}")
    return BadInputError(f"{path}: {words}")
