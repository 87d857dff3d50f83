"""``linerate fit``: from runs to a model file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from linerate.box import Box, write_box
from linerate.cli.output import JsonFlag, print_json, print_notes, progress_bar, stderr, stdout
from linerate.errors import bad_input
from linerate.models import (
    MODELS,
    Capacity,
    CapacityModel,
    Training,
    Validation,
    fit_models,
)
from linerate.models.catalogue import MODEL_NAMES
from linerate.models.fitting import AUTO
from linerate.models.modelfile import ModelFile, save_model
from linerate.models.regression import LogLinear, summaries
from linerate.models.validation import Scores, Spread
from linerate.outputs import check_outputs
from linerate.runs import read_runs
from linerate.store import Store

EXAMPLES = (
    "Examples: [bold]linerate fit runs.csv --out model.json --card model.md[/]  |  "
    "[bold]linerate fit campaign/ more.csv --out model.json --model capacity --json[/]"
)
MODEL_HELP = ", ".join(MODEL_NAMES) + ", or auto for the best on program loads not seen."
RunsArgument = Annotated[
    list[Path], typer.Argument(metavar="RUNS...", help="CSV, Parquet or campaign folders.")
]


def fit(  # noqa: PLR0913 - one parameter per option
    runs: RunsArgument,
    out: Annotated[Path, typer.Option("--out", help="Model file to write (JSON).")],
    model: Annotated[str, typer.Option("--model", help=MODEL_HELP)] = AUTO,
    box: Annotated[
        Path | None,
        typer.Option("--box", help="Box file (TOML) to write too: the machine, and its costs."),
    ] = None,
    card: Annotated[
        Path | None,
        typer.Option("--card", help="Model card to write too (Markdown): formula, parameters, "
                     "domain, residuals, provenance, known failures."),
    ] = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="Print statsmodels' tables of a log_... model.")
    ] = False,
    json: JsonFlag = False,
) -> None:  # fmt: skip
    """Fit a capacity model to runs, with intervals from program loads held out."""
    check_outputs({"out": out, "card": card, "box": box}, runs)
    table = read_runs(runs)
    with progress_bar() as bar:
        task = bar.add_task("reading", total=None)
        fitting = fit_models(
            table, model=model, progress=lambda part, done, of: bar.update(
                task, description=part, completed=done, total=of
            )
        )  # fmt: skip
    print_notes(fitting.notes)
    fitted, training = fitting.file, fitting.learnable.by_accesses
    if training is None:
        _refuse_beside_steps({"--box": box, "--card": card, "--summary": summary})
    tables = _summaries(fitted, training) if summary and training is not None else ()
    save_model(fitted, out)
    if box is not None:
        write_box(_calibrated(runs, fitted.predictor.model), box)
    if card is not None:
        _write_card(fitted, fitting.validation, card)
    _print_fitted(fitted, out, tables, json=json)


def _refuse_beside_steps(options: Mapping[str, object]) -> None:
    given = [name for name, value in options.items() if value]
    if given:
        raise bad_input(", ".join(given), "given", why="only costs of operations were fitted",
                        allowed="--out and --json", do="leave it out")  # fmt: skip


def _print_fitted(fitted: ModelFile, out: Path, said: tuple[str, ...], *, json: bool) -> None:
    stderr.print(f"wrote {out}; next: linerate predict {out} --help")
    if json:
        print_json(_answer(fitted, out) | ({"summaries": said} if said else {}))
    else:
        _print_answer(fitted, said)


def _summaries(fitted: ModelFile, training: Training) -> tuple[str, ...]:
    model = type(fitted.predictor.model)
    if not issubclass(model, LogLinear):
        raise bad_input(
            "summary", model.name, why="statsmodels did not fit it",
            allowed=", ".join(m.name for m in MODELS if issubclass(m, LogLinear)),
            do="name one of these with --model, or leave out --summary",
        )  # fmt: skip
    return summaries(model, training)


def _write_card(fitted: ModelFile, validation: Validation | None, path: Path) -> None:
    # Reports load Matplotlib, which is slow, and few fits want a card.
    from linerate.models.card import card_of
    from linerate.reports.model_card import write_card

    write_card(card_of(fitted, validation), path)
    stderr.print(f"wrote {path}")


def _print_answer(fitted: ModelFile, said: tuple[str, ...]) -> None:
    if fitted.mixes is not None:
        stdout.print(str(fitted.mixes.model))
    if not fitted.by_accesses:
        return
    stdout.print(str(fitted.predictor.model))
    if fitted.latency is not None:
        stdout.print("\n".join(map(str, fitted.latency.paths)))
    if fitted.overload is not None:
        stdout.print(str(fitted.overload))
    for table in said:
        stdout.print(table)
    stdout.print(_score_text(fitted.scores))


def _calibrated(runs: Sequence[Path], model: CapacityModel) -> Box:
    """Give the box of the campaign its fitted costs."""
    folders = [path for path in runs if (path / "box.json").is_file()]
    if not folders or not isinstance(model, Capacity):
        raise bad_input(
            "box", ", ".join(map(str, runs)), why="there is no machine or no cost to write",
            allowed="a campaign's folder, and the capacity model", do="name the folder that "
            "linerate measure made, or leave out --box",
        )  # fmt: skip
    costs = {name: cost for path in model.paths for name, cost in path.costs().items()}
    return replace(Store(folders[0]).box(), costs=costs)


def _answer(fitted: ModelFile, out: Path) -> dict[str, object]:
    model = fitted.predictor.model if fitted.by_accesses else None
    return {
        "out": str(out),
        "model": model.name if model else "mixes",
        "formula": str(model).splitlines() if model else [],
        "mixes": str(fitted.mixes.model).splitlines() if fitted.mixes else None,
        "latency": str(fitted.latency).splitlines() if fitted.latency else None,
        "overload": str(fitted.overload) if fitted.overload else None,
        "runs": fitted.provenance.runs,
        "notes": fitted.provenance.notes,
        "scores": fitted.scores.to_dict() if fitted.scores else None,
    }


def _score_text(scores: Scores | None) -> str:
    if scores is None:
        return "error on runs not seen: too few program loads to hold any out"
    return (
        f"error on program loads not seen: {spread_text(scores.error)} %; "
        f"noise floor of single runs: {spread_text(scores.noise_floor)} % (median / mean / P90)"
    )


def spread_text(spread: Spread | None) -> str:
    """Print median / mean / P90."""
    if spread is None:
        return "-"
    return f"{spread.median_percent:.1f} / {spread.mean_percent:.1f} / {spread.p90_percent:.1f}"
