"""The ``linerate`` command: answers on stdout, progress and words on stderr."""

from __future__ import annotations

import gc
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from linerate.cli.app import app_for
from linerate.cli.stopping import STOPPED
from linerate.cli.streams import DISK_REFUSES, give_up_stdout, harmless, take_any_character
from linerate.errors import BadInputError, LinerateError, bad_input

__all__ = ["main"]

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
"""What says how many threads a calculation with matrices takes, read when numpy is loaded."""
COLLECT_AFTER = (50_000, 20, 100)
"""New objects, then younger collections, between two of each generation: looking for cycles among
all that figures consist of took an eighth of a report's time."""


def main(argv: list[str] | None = None) -> None:
    """Run one command; map an error of the family to its exit code."""
    words = sys.argv[1:] if argv is None else argv
    take_any_character()
    gc.set_threshold(*COLLECT_AFTER)
    for name in THREADS:
        # Ours are small: threads of one wait for each other for longer than it takes.
        os.environ.setdefault(name, "1")
    try:
        _check_utf8(words)
        app_for(words)(args=words, prog_name="linerate")
    except LinerateError as error:
        print(f"linerate: {harmless(str(error))}", file=sys.stderr)
        if isinstance(error, BadInputError) and error.instead is not None:
            print(f"next: linerate {_with(words, *error.instead)}", file=sys.stderr)
        raise SystemExit(error.exit_code) from None
    except OSError as error:
        refused = _refused(error)
        if refused is None:
            raise
        print(f"linerate: {harmless(str(refused))}", file=sys.stderr)
        raise SystemExit(refused.exit_code) from None
    except KeyboardInterrupt:  # while a command's modules load
        print("linerate: stopped", file=sys.stderr)
        raise SystemExit(STOPPED) from None


def _check_utf8(words: Sequence[str]) -> None:
    """Refuse bytes that are not UTF-8: JSON, TOML and Parquet keep no such names."""
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError as error:
            raise bad_input(
                "argument", ascii(word), why="it is not UTF-8", allowed="names in UTF-8",
                do="rename the file, or go into its folder",
            ) from error  # fmt: skip


def _refused(error: OSError) -> LinerateError | None:
    """Say what the machine refused where no command has said it; None for what must not be."""
    if error.errno in DISK_REFUSES:
        give_up_stdout()
        why = f"cannot be written ({error.strerror}); free some space or send it elsewhere"
        return LinerateError(f"the answer {why}")
    if error.filename is None:
        return None
    return bad_input("path", error.filename, why=f"it cannot be used ({error.strerror})",
                     allowed="a path that this user may open", do="name another")  # fmt: skip


def _with(words: Sequence[str], got: str, better: str) -> str:
    """Type a command again with a path that would do."""
    return shlex.join(better if str(Path(word)) == got else word for word in words)
