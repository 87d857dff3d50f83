"""``linerate lint``: the physics rules on tables of runs, own or imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from linerate.cli.models.fit import RunsArgument
from linerate.cli.output import JsonFlag, print_json, stderr, stdout

if TYPE_CHECKING:
    from linerate.measure.trials.lint import LintedRun

SHOWN_MAX = 40
"""Runs that are printed; --json and --all have them all."""
EXAMPLES = """
Examples:
  linerate lint runs.csv
  linerate lint campaign/ --json
  linerate lint imported.csv --check
"""


def lint_runs(
    runs: RunsArgument,
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 when any run is impossible.")
    ] = False,
    show_all: Annotated[
        bool, typer.Option("--all", help=f"Print every remark, not the first {SHOWN_MAX} runs'.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Judge each run: impossible, suspicious or fine; why, and what to do.

    Impossible runs break a rule of physics: more than the line carries or was offered, latency
    below the wire's time, more CPU than there are cores, counts out of order, a zero where the same
    cell forwards elsewhere. Suspicious runs break none, but something speaks against them.
    """
    # Slow to load: not for --help.
    from linerate.measure.trials.lint import lint
    from linerate.tables.runs import read_runs

    linted = lint(read_runs(runs))
    if json:
        print_json(_answer(linted))
    else:
        _print(linted, len(linted) if show_all else SHOWN_MAX)
    if check and any(run.state == "impossible" for run in linted):
        raise typer.Exit(1)


def _counts(linted: tuple[LintedRun, ...]) -> dict[str, int]:
    states = [run.state for run in linted]
    return {name: states.count(name) for name in ("impossible", "suspicious", "fine")}


def _answer(linted: tuple[LintedRun, ...]) -> dict[str, object]:
    return {
        "runs": len(linted),
        **_counts(linted),
        "verdicts": [
            {
                "row": run.row, "run": run.run, "state": run.state,
                "remarks": [
                    {"rule": remark.rule, "state": remark.state, "reason": remark.reason,
                     "do": remark.do} for remark in run.remarks
                ],
            }
            for run in linted
        ],
    }  # fmt: skip


def _print(linted: tuple[LintedRun, ...], shown_max: int) -> None:
    counts = _counts(linted)
    stdout.print(f"{len(linted)} runs: " + ", ".join(f"{n} {name}" for name, n in counts.items()))
    doubted = [run for run in linted if run.remarks]
    doubted.sort(key=lambda run: (run.state != "impossible", run.row))
    if not doubted:
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("row", "run", "verdict", "why, and what to do"):
        table.add_column(name, justify="right" if name == "row" else "left")
    for run in doubted[:shown_max]:
        why = "\n".join(f"{remark.reason}: {remark.do}" for remark in run.remarks)
        table.add_row(str(run.row), run.run, run.state, why)
    stdout.print(table)
    if len(doubted) > shown_max:
        stderr.print(f"{len(doubted) - shown_max} more runs with remarks: --all, or --json")
