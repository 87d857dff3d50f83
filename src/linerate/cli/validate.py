"""``linerate validate``: every model side by side on runs it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from linerate.cli.fit import RunsArgument, spread_text
from linerate.cli.output import JsonFlag, print_json, print_notes, progress_bar, stderr, stdout
from linerate.cli.validate_latency import print_latency
from linerate.cli.validate_mixes import print_mixes
from linerate.errors import BadInputError, bad_input
from linerate.models import (
    MODELS,
    CapacityModel,
    Training,
    Validation,
    learnable,
)
from linerate.models.catalogue import MODEL_NAMES
from linerate.models.choice import model_named
from linerate.models.cpu_validation import validate_cpu
from linerate.models.fitting import SEED
from linerate.models.folds import SPLITS, Split, fold_count
from linerate.models.mixes.validation import MixValidation, validate_mixes
from linerate.models.validation import FOLDS, by_value
from linerate.models.validation import validate as validate_model
from linerate.reports.validation_picture import check_picture, write_picture
from linerate.runs import read_runs

EXAMPLES = (
    "Examples: [bold]linerate validate runs.csv[/]  |  "
    "[bold]linerate validate campaign/ --by queues --json[/]  |  "
    "[bold]linerate validate campaign/ --of latency[/]  |  "
    "[bold]linerate validate runs.csv --by all --figure errors.png[/]"
)

ALL = "all"
"""Every split in turn."""


def validate(  # noqa: PLR0913 - one parameter per option
    runs: RunsArgument,
    by: Annotated[
        str, typer.Option("--by", help="What is held out: " + ", ".join((*SPLITS, ALL)) + ".")
    ] = "group",
    figure: Annotated[
        Path | None,
        typer.Option("--figure", help="PNG or PDF of the errors to draw, with a CSV beside it."),
    ] = None,
    of: Annotated[
        str, typer.Option("--of", help="What is predicted: rate, cpu (busy shares) or latency.")
    ] = "rate",
    model: Annotated[
        list[str] | None,
        typer.Option("--model", help="Only this one; several times for several: "
                     + ", ".join(MODEL_NAMES) + "."),
    ] = None,
    json: JsonFlag = False,
) -> None:  # fmt: skip
    """Print the error of each model on held-out cells, beside the noise floor of single runs.

    group holds out whole (datapath, program, queues, accesses) groups: runs of one program load
    share its luck, and a random split leaks it. sparse learns from a random tenth of the cells.
    A factor holds out one of its values at a time, and each is also scored by itself.
    all is each of these in turn.
    An error far below the noise floor is a leak.
    """
    _check(by, of, figure)
    models = [model_named(name, MODELS) for name in model or MODEL_NAMES]
    table = read_runs(runs)
    if of == "latency":
        print_latency(table, by, figure, json=json)
        return
    parts = learnable(table)
    print_notes(parts.notes)
    mixed, training = parts.by_operations, parts.by_accesses
    asked = of == "rate" and by in ("group", ALL) and not model
    mixes = validate_mixes(mixed) if asked and mixed is not None else None
    if training is None:
        _print_steps_alone(mixes, by, json=json)
        return
    if of == "cpu":
        _print_cpu(training, by, json=json)
        return
    found = _found(training, by, models)
    if figure is not None:
        drawn = [item for validations in found.values() for item in validations]
        written = write_picture(figure, drawn, str(table["box"].iloc[0]))
        stderr.print(f"wrote {written[0]} and {written[1]}")
    if json:
        answers = [
            {"by": split, "models": [_answer(item, training) for item in validations]}
            for split, validations in found.items()
        ]
        beside = {} if mixes is None else {"mixes": mixes.to_dict()}
        print_json(({"splits": answers} if by == ALL else answers[0]) | beside)
        return
    for split, validations in found.items():
        print_scores(validations, split)
        _print_values(validations, training, split)
    if mixes is not None:
        print_mixes(mixes)


def _print_steps_alone(mixes: MixValidation | None, by: str, *, json: bool) -> None:
    """Answer for a table whose packets only steps tell apart."""
    if mixes is None:
        raise bad_input("by", by, why="packets of this table are told apart by their steps alone, "
                        "and these are held out by group, of rate, with every model",
                        allowed="--by group or all", do="leave the other options out")  # fmt: skip
    if json:
        print_json({"by": by, "models": [], "mixes": mixes.to_dict()})
    else:
        print_mixes(mixes)


def _check(by: str, of: str, figure: Path | None) -> None:
    """Refuse what cannot be validated before anything is read."""
    if by not in (*SPLITS, ALL):
        raise bad_input("by", by, why="no such split", allowed=", ".join((*SPLITS, ALL)),
                        do="use one of these names")  # fmt: skip
    drawn, several = figure is not None, by == ALL
    if {"rate": False, "cpu": several or drawn, "latency": several}.get(of, True):
        raise bad_input("of", of, why="it cannot be validated so", allowed="rate; latency by one "
                        "split; cpu by one split and without --figure",
                        do="use one of these")  # fmt: skip
    if figure is not None:
        check_picture(figure)


def _print_cpu(training: Training, by: str, *, json: bool) -> None:
    splits: dict[str, Split] = {name: name for name in SPLITS}
    scores = validate_cpu(training, by=splits[by], rng=np.random.default_rng(SEED))
    if json:
        print_json({"by": by, "cpu": [asdict(score) for score in scores]})
        return
    for score in scores:
        stdout.print(f"{score.name}: {score.points:.1f} points off on average over {score.runs} "
                     f"held-out runs (utilisation: {score.utilisation_points:.1f})")  # fmt: skip


def _found(
    training: Training, by: str, models: Sequence[type[CapacityModel]]
) -> dict[Split, tuple[Validation, ...]]:
    """Validate by the split that is asked for; of all, by those that the runs allow."""
    found = {}
    for split in SPLITS:
        if by not in (split, ALL):
            continue
        try:
            found[split] = validate_with_progress(training, split, models)
        except BadInputError as error:
            if by == split:
                raise
            stderr.print(f"not held out by {split}: {error}")
    if not found:
        raise bad_input("runs", len(training), why="they are too few to hold any out",
                        allowed="several loads of each program", do="measure more")  # fmt: skip
    return found


def _answer(validation: Validation, training: Training) -> dict[str, object]:
    values = by_value(validation, training)
    return {
        **validation.scores.to_dict(),
        "values": [{"value": value, **scores.to_dict()} for value, scores in values.items()],
    }


def _print_values(validations: tuple[Validation, ...], training: Training, by: str) -> None:
    """Print each held-out value of a factor by itself: its ends are extrapolated."""
    rows = [
        (validation.scores.model, value, scores)
        for validation in validations
        for value, scores in by_value(validation, training).items()
    ]
    if not rows:
        return
    table = Table(title=f"Each {by} by itself", box=SIMPLE_HEAD, pad_edge=False)
    for name in ("model", by, "cells", "error %", "verdict %", "coverage %\n(half-width)"):
        table.add_column(name, justify="left" if name == "model" else "right", no_wrap=True)
    for model, value, scores in rows:
        table.add_row(
            model, f"{value:g}", str(scores.cells), spread_text(scores.error),
            f"{100 * scores.verdict_accuracy:.1f}",
            f"{100 * scores.coverage:.1f} ({scores.half_width_percent:.1f})",
        )  # fmt: skip
    stdout.print(table)


def validate_with_progress(
    training: Training, by: Split = "group", models: Sequence[type[CapacityModel]] = MODELS
) -> tuple[Validation, ...]:
    """Validate models on the same folds, with a bar on stderr that names model and split."""
    folds = fold_count(training, by, FOLDS, np.random.default_rng(SEED))
    found = []
    with progress_bar() as bar:
        task = bar.add_task("folds", total=folds * len(models))
        for model in models:
            bar.update(task, description=f"{model.name} by {by}")
            found.append(validate_model(model, training, by=by, rng=np.random.default_rng(SEED),
                                  progress=lambda: bar.advance(task)))  # fmt: skip
        bar.update(task, description=f"validated by {by}")
    return tuple(found)


def print_scores(validations: tuple[Validation, ...], by: Split = "group") -> None:
    """Print the models' scores side by side, and how to read them."""
    stdout.print(_table(validations, by))
    stdout.print(
        "Errors are of the held-out cell's median: median / mean / P90. Below line: cells\n"
        "under 99 % of line rate. Noise floor: single runs from their own cell's median."
    )


def _table(validations: tuple[Validation, ...], by: str) -> Table:
    """Lay models out side by side, within 80 columns."""
    title = f"Held out by {by}: {validations[0].scores.cells} cells"
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("model", no_wrap=True)
    for name in ("error %\nall cells", "error %\nbelow line", "verdict %\n(balanced)",
                 "coverage %\n(half-width)"):  # fmt: skip
        table.add_column(name, justify="right", overflow="fold")
    for validation in validations:
        scores = validation.scores
        verdict = (100 * scores.verdict_accuracy, 100 * scores.verdict_balanced_accuracy)
        table.add_row(
            scores.model, spread_text(scores.error), spread_text(scores.service_error),
            f"{verdict[0]:.1f} ({verdict[1]:.1f})",
            f"{100 * scores.coverage:.1f} ({scores.half_width_percent:.1f})",
        )  # fmt: skip
    first = validations[0].scores
    table.add_section()
    table.add_row("noise floor", spread_text(first.noise_floor),
                  spread_text(first.service_noise_floor))  # fmt: skip
    return table
