"""``linerate fit``: from runs to a model file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linerate.cli.models.kind import KindOption, ModelBefore, refuse_model
from linerate.cli.output import (
    JsonFlag,
    print_json,
    print_notes,
    progress_shown,
    stderr,
    stdout,
)
from linerate.errors import bad_input
from linerate.files.outputs import check_outputs, write_whole

if TYPE_CHECKING:
    from linerate.face.model import Model

EXAMPLES = """
Examples:
  linerate fit runs.csv --out model.json --card model.md
  linerate fit campaign/ more.csv --out model.json --kind capacity --json
  linerate fit few.csv --out model.json --prior other-box.json
  linerate fit both.csv --out model.json --on new-box
"""
RunsArgument = Annotated[
    list[Path], typer.Argument(metavar="RUNS...", help="CSV, Parquet or campaign folders.")
]


def fit(  # noqa: PLR0913 - one parameter per option
    runs: RunsArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="Model file to write (JSON).")],
    kind: KindOption = "auto",
    box: Annotated[
        Path | None,
        typer.Option("--box", help="Box file (TOML) to write too: the machine, and its costs."),
    ] = None,
    card: Annotated[
        Path | None,
        typer.Option("--card", help="Model card to write too (Markdown): formula, parameters, "
                     "domain, residuals, provenance, known failures."),
    ] = None,
    prior: Annotated[
        list[Path] | None,
        typer.Option("--prior", help="Model file or box file of another machine, whose constants "
                     "are what is expected of this one: a few runs are enough. Several times for "
                     "several."),
    ] = None,
    on: Annotated[
        str, typer.Option("--on", help="Box to fit, where RUNS are of several: the others are a "
                          "prior.")
    ] = "",
    summary: Annotated[
        bool, typer.Option("--summary", help="Print statsmodels' tables of a log_... model.")
    ] = False,
    model: ModelBefore = None,
    json: JsonFlag = False,
) -> None:  # fmt: skip
    """Fit a capacity model to runs, with intervals from program loads held out."""
    # Slow to load: not for --help.
    from linerate.box import write_box
    from linerate.face.box import box_with_costs
    from linerate.face.fitting import fit as fit_runs
    from linerate.models.catalogue import MODEL_NAMES, SUMMARISED, no_summary
    from linerate.tables.measured import read

    refuse_model(model)
    if summary and kind in MODEL_NAMES and kind not in SUMMARISED:
        raise no_summary(kind)
    check_outputs({"out": out, "card": card, "box": box}, [*runs, *(prior or [])])
    fitted = fit_runs(read(*runs), kind, prior=prior or (), on=on, progress=progress_shown())
    print_notes(fitted.notes)
    if not fitted.file.by_accesses:
        _refuse_beside_operations({"--summary": summary})
    tables = fitted.summaries() if summary else ()
    fitted.save(out)
    if box is not None:
        write_box(box_with_costs(fitted, runs, box), box)
    if card is not None:
        write_whole(card, fitted.card().encode())
        stderr.print(f"wrote {card}")
    stderr.print(f"wrote {out}; next: linerate predict {out} --help")
    if json:
        print_json(_answer(fitted, out) | ({"summaries": tables} if tables else {}))
    else:
        _print_answer(fitted, tables)


def _refuse_beside_operations(options: Mapping[str, object]) -> None:
    given = [name for name, value in options.items() if value]
    if given:
        raise bad_input(", ".join(given), "given", why="only costs of operations were fitted, not "
                        "by statsmodels", allowed="--out, --card, --box and --json",
                        do="leave it out")  # fmt: skip


def _print_answer(fitted: Model, tables: tuple[str, ...]) -> None:
    laws, score = fitted.laws(), fitted.score_text
    for text in (*laws.values(), *tables, *([score] if fitted.file.by_accesses else [])):
        stdout.print(text)


def _answer(fitted: Model, out: Path) -> dict[str, object]:
    file, laws = fitted.file, fitted.laws()
    return {
        "out": str(out),
        "model": file.predictor.model.name if file.by_accesses else "mixes",
        "formula": laws["capacity"].splitlines() if "capacity" in laws else [],
        **{
            kind.name: laws[kind.name].splitlines() if kind.name in laws else None
            for kind in file.kinds
            if kind.fit is not None
        },
        "runs": file.provenance.runs,
        "notes": file.provenance.notes,
        "scores": file.scores.to_dict() if file.scores else None,
    }
