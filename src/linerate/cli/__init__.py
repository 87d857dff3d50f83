"""The ``linerate`` command: answers on stdout, progress and words on stderr."""

from __future__ import annotations

import sys

from linerate.cli.app import app
from linerate.errors import LinerateError

__all__ = ["app", "main"]


def main(argv: list[str] | None = None) -> None:
    """Run one command; map an error of the family to its exit code."""
    try:
        app(args=argv, prog_name="linerate")
    except LinerateError as error:
        print(f"linerate: {error}", file=sys.stderr)
        raise SystemExit(error.exit_code) from None
