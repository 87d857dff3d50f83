"""The ``linerate`` command: answers on stdout, progress and words on stderr."""

from __future__ import annotations

import sys

from linerate.errors import LinerateError

__all__ = ["main"]


def main(argv: list[str] | None = None) -> None:
    """Run one command; map an error of the family to its exit code."""
    words = sys.argv[1:] if argv is None else argv
    try:
        if words == ["agent"]:
            # Alone, it is there in a fifth of the time: somebody waits at the other end.
            from linerate.cli.agent import agent

            agent()
        else:
            from linerate.cli.app import app

            app(args=words, prog_name="linerate")
    except LinerateError as error:
        print(f"linerate: {error}", file=sys.stderr)
        raise SystemExit(error.exit_code) from None
