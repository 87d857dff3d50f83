"""``--kind``: which capacity model is fitted. ``--model`` is a file in every command."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from linerate.errors import bad_input

KIND_HELP = (
    "Its name, as linerate validate lists them, or auto for the best on program loads not seen."
)
KindOption = Annotated[str, typer.Option("--kind", help=KIND_HELP)]
ModelBefore = Annotated[list[str] | None, typer.Option("--model", hidden=True)]
"""What ``--kind`` was called before: it is refused, by a sentence that says so."""


def refuse_model(given: Sequence[str] | None) -> None:
    """Refuse ``--model`` where the kind of model is meant.

    Raises
    ------
    BadInputError
        Anything was given.
    """
    if given:
        raise bad_input(
            "--model", ", ".join(given), why="a model is a file, and here the kind of model is "
            "named", allowed="--kind", do=f"write --kind {given[0]}",
        )  # fmt: skip
