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
errors = Console(stderr=True, highlight=False, soft_wrap=True, markup=False)
"""For what is not a note: it is said with --quiet, too."""


NOTE = "Note: "
"""What a line of an answer begins with that says what it rests on."""


def _hush(wanted: bool) -> bool:
    stderr.quiet = wanted
    return wanted


QuietFlag = Annotated[
    bool,
    typer.Option("--quiet", "-q", callback=_hush, help="Print the answer and errors alone: no "
                 "progress, no notes."),
]  # fmt: skip
"""Of every command: it is added to each where it is declared to the shell."""
EventsFlag = Annotated[
    bool,
    typer.Option("--json", help="Print events as they happen, one JSON object a line; the last "
                 "has the answer (docs/live.md)."),
]  # fmt: skip
JsonFlag = Annotated[bool, typer.Option("--json", help="Print the answer as one JSON object.")]


def print_answer(answer: object) -> None:
    """Print an answer in words; --quiet leaves out the notes on what it rests on."""
    lines = str(answer).splitlines()
    kept = (line for line in lines if not (stderr.quiet and line.startswith(NOTE)))
    stdout.print("\n".join(kept))


def print_json(answer: Mapping[str, Any]) -> None:
    """Print one JSON object on stdout; nan and inf become null."""
    print(json.dumps(_finite(answer), indent=2, default=str))


def print_event(event: Mapping[str, Any]) -> None:
    """Print one JSON object on a line of its own, for a reader that waits for it."""
    print(json.dumps(_finite(event), default=str), flush=True)


def progress_shown() -> bool:
    """Whether progress is to be shown: unless --quiet was given."""
    return not stderr.quiet


def print_notes(notes: Iterable[str]) -> None:
    """Print what was left out, a line each, on stderr."""
    for note in notes:
        stderr.print(note)


def print_errors(lines: Iterable[str]) -> None:
    """Print why the answer is no, a line each, on stderr; --quiet leaves it."""
    for line in lines:
        errors.print(line)


def _finite(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, Mapping):
        return {str(key): _finite(inner) for key, inner in value.items()}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_finite(inner) for inner in value]
    item = getattr(value, "item", None)  # a numpy scalar
    return _finite(item()) if callable(item) else value
