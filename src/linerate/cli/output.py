"""Where words go: answers to stdout, everything else to stderr."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer
from rich.console import Console

from linerate.cli.streams import PIPE_CLOSED, give_up_stdout


class _Answers(Console):
    """A console that tells a reader who has enough from an answer that is no."""

    def on_broken_pipe(self) -> None:
        """End as rich does, with a code of its own."""
        give_up_stdout()
        raise SystemExit(PIPE_CLOSED)


# Names come from tables and files: what looks like markup in them is none.
stdout = _Answers(highlight=False, soft_wrap=True, markup=False)
stderr = Console(stderr=True, highlight=False, soft_wrap=True, markup=False)

JsonFlag = Annotated[bool, typer.Option("--json", help="Print the answer as one JSON object.")]


def print_json(answer: Mapping[str, Any]) -> None:
    """Print one JSON object on stdout; nan and inf become null."""
    print(json.dumps(_finite(answer), indent=2, default=str))


def print_notes(notes: Iterable[str]) -> None:
    """Print what was left out, a line each, on stderr."""
    for note in notes:
        stderr.print(note)


def _finite(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, Mapping):
        return {str(key): _finite(inner) for key, inner in value.items()}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_finite(inner) for inner in value]
    item = getattr(value, "item", None)  # a numpy scalar
    return _finite(item()) if callable(item) else value
