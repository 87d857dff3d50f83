"""The ``linerate`` command: answers on stdout, progress and words on stderr."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from linerate.cli.app import STOPPED, app_for
from linerate.errors import BadInputError, LinerateError

__all__ = ["main"]


def main(argv: list[str] | None = None) -> None:
    """Run one command; map an error of the family to its exit code."""
    words = sys.argv[1:] if argv is None else argv
    try:
        app_for(words)(args=words, prog_name="linerate")
    except LinerateError as error:
        print(f"linerate: {error}", file=sys.stderr)
        if isinstance(error, BadInputError) and error.instead is not None:
            print(f"next: linerate {_with(words, *error.instead)}", file=sys.stderr)
        raise SystemExit(error.exit_code) from None
    except KeyboardInterrupt:  # while a command's modules load
        print("linerate: stopped", file=sys.stderr)
        raise SystemExit(STOPPED) from None


def _with(words: Sequence[str], got: str, better: str) -> str:
    """Type a command again with a path that would do."""
    return shlex.join(better if str(Path(word)) == got else word for word in words)
