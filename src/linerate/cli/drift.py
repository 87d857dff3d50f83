"""``linerate drift``: whether new runs still fit a model."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from linerate.cli.fit import RunsArgument
from linerate.cli.output import JsonFlag, print_json, stderr, stdout
from linerate.cli.predict import ModelArgument
from linerate.models import training_of
from linerate.models.drift import drift_of
from linerate.models.saved import load_model
from linerate.runs import read_runs

EXAMPLES = "Example: [bold]linerate drift model.json today/ --check[/]"


def drift(
    model: ModelArgument,
    runs: RunsArgument,
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 where they no longer do.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Say whether new runs lie in a model's intervals as its calibration promises.

    Where they do not, the machine, the kernel or the program has changed: fit anew.
    """
    fitted = load_model(model)
    table = read_runs(runs)
    training = training_of(table)
    other = fitted.provenance.other_machine(table)
    for note in (*training.notes, *other):
        stderr.print(note)
    found = drift_of(fitted.predictor, training)
    if json:
        print_json({**asdict(found), "alarm": found.alarm, "can_tell": found.can_tell,
                    "notes": [*training.notes, *other]})  # fmt: skip
    else:
        stdout.print(str(found))
    if check and found.alarm:
        raise typer.Exit(1)
