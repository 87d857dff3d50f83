"""``linerate validate``: every model's error on runs it has not seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from linerate.cli.models.fit import RunsArgument
from linerate.cli.models.kind import ModelBefore, refuse_model
from linerate.cli.output import (
    JsonFlag,
    print_json,
    print_notes,
    progress_shown,
    stderr,
    stdout,
)
from linerate.errors import bad_input

if TYPE_CHECKING:
    from linerate.face.validation import Validation
    from linerate.models.validation.folds import Split
    from linerate.models.validation.validation import Validation as Validated

EXAMPLES = """
Examples:
  linerate validate runs.csv
  linerate validate campaign/ --by queues --json
  linerate validate campaign/ --of latency
  linerate validate runs.csv --by all --figure errors.png
  linerate validate runs.csv --by all --jobs 4
"""


def validate(  # noqa: PLR0913 - one parameter per option
    runs: RunsArgument,
    by: Annotated[
        str, typer.Option("--by", help="What is held out: group, frame_bytes, memory_accesses, "
                          "queues, random, sparse, or all in turn; box, of runs of several boxes.")
    ] = "group",
    figure: Annotated[
        Path | None,
        typer.Option("--figure", help="PNG or PDF of the errors to draw, with a CSV beside it."),
    ] = None,
    of: Annotated[
        str, typer.Option("--of", help="What is predicted: rate, cpu (busy shares) or latency.")
    ] = "rate",
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", help="Only this one, by its name in the table; several times for "
                     "several."),
    ] = None,
    model: ModelBefore = None,
    jobs: Annotated[
        int, typer.Option("--jobs", min=1, help="Processes that fit models side by side, for long "
                          "validations; the numbers are the same.")
    ] = 1,
    json: JsonFlag = False,
) -> None:  # fmt: skip
    """Print the error of each model on held-out cells, beside the noise floor.

    group holds out whole (datapath, program, queues, accesses) groups: runs of one program load
    share a random effect, and a random split would leak it. sparse learns from a random tenth of
    the cells. A factor holds out one of its values at a time, and each is also scored by itself.
    all is each of these in turn. box predicts each box of a table by the constants of the others.
    An error far below the noise floor is a leak.
    """
    # Slow to load: not for --help.
    from joblib import parallel_config

    from linerate.face.validation import check_question
    from linerate.face.validation import validate as validate_runs
    from linerate.tables.measured import read

    refuse_model(model)
    check_question(by, of)
    if figure is not None:
        _check_figure(of, figure)
    measured = read(*runs)
    with parallel_config(n_jobs=jobs):
        found = validate_runs(measured, by=by, of=of, models=kind, progress=progress_shown())
    print_notes(found.notes)
    if figure is not None:
        _draw(found, figure, measured.boxes[0])
    if json:
        print_json(found.to_dict())
    else:
        _print(found)


def _check_figure(of: str, figure: Path) -> None:
    """Refuse what cannot be drawn before anything is read."""
    # Reports load Matplotlib, which is slow, and few validations want a picture.
    from linerate.reports.validation.files import check_picture

    if of == "cpu":
        raise bad_input("of", of, why="not supported together with --figure",
                        allowed="rate, latency", do="leave out --figure")  # fmt: skip
    check_picture(figure)


def _draw(found: Validation, figure: Path, box: str) -> None:
    from linerate.reports.validation.latencies import write_latency_picture
    from linerate.reports.validation.splits import write_errors, write_picture

    if found.latency is not None:
        written: tuple[Path, ...] = write_latency_picture(figure, found.latency, box)
    else:
        every = [one for many in found.splits.values() for one in many]
        beside = figure.with_stem(f"{figure.stem}-by-split")
        written = (*write_picture(figure, every, box), *write_errors(beside, every, box))
    stderr.print(f"wrote {', '.join(map(str, written))}")


def _print(found: Validation) -> None:
    from linerate.cli.models.latency_scores import print_latency
    from linerate.cli.models.mix_scores import print_mixes

    for score in found.cpu:
        stdout.print(f"{score.name}: {score.points:.1f} points off on average over {score.runs} "
                     f"held-out runs, {score.runs_by_latency} by the latency model "
                     f"(utilisation: {score.utilisation_points:.1f})")  # fmt: skip
    if found.latency is not None:
        print_latency(found.latency)
    for split, validations in found.splits.items():
        if split == "box":
            stdout.print("\n".join(found.lines()))
            continue
        print_scores(validations, split)
        _print_values(found, split)
    if found.seen is not None:
        stdout.print(f"{found.seen}. The rows above are of new loads, which is another question; "
                     "linerate predict RUNS --same-loads answers this one.")  # fmt: skip
    if found.operations is not None:
        print_mixes(found.operations)


def _print_values(found: Validation, by: Split) -> None:
    """Print each held-out value of a factor by itself: its ends are extrapolated."""
    from linerate.cli.models.coverage import INSIDE, inside

    rows = found.values(by)
    if not rows:
        return
    table = Table(
        title=f"Each {by} by itself", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0)
    )
    for name in ("model", by, "cells", "error %", "verdict %", INSIDE):
        table.add_column(name, justify="left" if name == "model" else "right", no_wrap=True)
    for model, value, scores in rows:
        table.add_row(
            model, f"{value:g}", str(scores.cells), str(scores.error),
            _percent(scores.verdict_accuracy), inside(scores),
        )  # fmt: skip
    stdout.print(table)


def print_scores(validations: tuple[Validated, ...], by: Split = "group") -> None:
    """Print the models' scores side by side, and how to read them."""
    from linerate.cli.models.coverage import EXPLAINED

    stdout.print(_table(validations, by))
    stdout.print(
        "Errors are of the held-out cell's median: median / mean / P90. Below ceiling: cells\n"
        "under 99 % of line rate and of what was offered. Noise floor: what a perfect model\n"
        "would score, since medians of few loads are noisy. Single runs lie farther off:\n"
        f"{validations[0].scores.run_floor or '-'} % from the others of their cell.\n" + EXPLAINED
    )


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def _table(validations: tuple[Validated, ...], by: str) -> Table:
    """Lay models out side by side, within 80 columns."""
    from linerate.cli.models.coverage import INSIDE, inside_within

    title = f"Held out by {by}: {validations[0].scores.cells} cells"
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("model", no_wrap=True)
    for name in ("error %\nall cells", "error %\nbelow ceiling", "verdict %\n(balanced)", INSIDE):
        table.add_column(name, justify="right", overflow="fold")
    for validation in validations:
        scores = validation.scores
        verdict = (scores.verdict_accuracy, scores.verdict_balanced_accuracy)
        table.add_row(
            scores.model, str(scores.error), str(scores.service_error or "-"),
            f"{_percent(verdict[0])} ({_percent(verdict[1])})", inside_within(scores),
        )  # fmt: skip
    first = validations[0].scores
    table.add_section()
    table.add_row("noise floor", str(first.noise_floor or "-"),
                  str(first.service_noise_floor or "-"))  # fmt: skip
    return table
