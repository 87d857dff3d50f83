"""The ``linerate`` command: answers on stdout, progress and words on stderr."""

from __future__ import annotations

import sys

from linerate.cli.app import STOPPED, app_for
from linerate.errors import LinerateError

__all__ = ["main"]


def main(argv: list[str] | None = None) -> None:
    """Run one command; map an error of the family to its exit code."""
    words = sys.argv[1:] if argv is None else argv
    try:
        app_for(words)(args=words, prog_name="linerate")
    except LinerateError as error:
        print(f"linerate: {error}", file=sys.stderr)
        raise SystemExit(error.exit_code) from None
    except KeyboardInterrupt:  # while a command's modules load
        print("linerate: stopped", file=sys.stderr)
        raise SystemExit(STOPPED) from None
