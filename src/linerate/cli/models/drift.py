"""``linerate drift``: whether new runs still fit a model."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from linerate.cli.models.fit import RunsArgument
from linerate.cli.models.predict import ModelArgument
from linerate.cli.output import JsonFlag, print_json, print_notes, stdout

EXAMPLES = """
Examples:
  linerate drift model.json today/ --check
"""


def drift(
    model: ModelArgument,
    runs: RunsArgument,
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 where they no longer do.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Check whether new runs lie in a model's intervals as often as promised.

    If they do not, the machine, the kernel or the program has changed: fit again.
    """
    # Slow to load: not for --help.
    from linerate.face.fitting import load
    from linerate.tables.measured import read

    found, notes = load(model).drift(read(*runs))
    print_notes(notes)
    if json:
        print_json({**asdict(found), "alarm": found.alarm, "can_tell": found.can_tell,
                    "notes": notes})  # fmt: skip
    else:
        stdout.print(str(found))
    if check and found.alarm:
        raise typer.Exit(1)
