"""``linerate plan``: which cells to measure next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linerate.cli.output import JsonFlag, print_json, stderr, stdout
from linerate.errors import bad_input
from linerate.files.outputs import check_table, write_table

if TYPE_CHECKING:
    import pandas as pd

    from linerate.models.design import Design

EXAMPLES = """
Examples:
  linerate plan runs.csv --budget 12
  linerate plan --cells data/campaigns/izolan-mixes.toml --budget 12
  linerate plan --cells data/campaigns/quick.toml --budget 48
  linerate plan results/quick --cells cells.csv --budget 48 --out next.csv --json
  linerate plan --cells cells.csv --prior box.toml --budget 12
  linerate plan runs.csv --budget 48 --jobs 2
"""


BUDGET_MAX = 10_000
"""More runs than anyone measures before planning anew."""
ALWAYS = ("datapath", "program", "memory_accesses", "operations", "queues", "frame_bytes",
        "link_gbps", "unknown_after")  # fmt: skip
"""Columns that are printed even where all cells have them alike; ``--out`` has every one."""
LITTLE_GAIN = 0.95
"""A plan that leaves this share of what is unknown is hardly worth its runs."""


def plan(  # noqa: PLR0913 - one option per input
    budget: Annotated[int, typer.Option("--budget", help="Runs to choose.")],
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[RUNS...]", help="Runs that are there already; none to begin."),
    ] = None,
    cells: Annotated[
        Path | None,
        typer.Option("--cells", help="Cells to choose from, a table or a campaign file; if left "
                     "out, all combinations of the factors in RUNS."),
    ] = None,
    prior: Annotated[
        list[Path] | None,
        typer.Option("--prior", help="Model file or box file of another machine, whose constants "
                     "stand for those that the runs do not tell yet. Several times for several."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="CSV of the cells.")] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", min=1, help="Processes that weigh paths side by side, for "
                          "many thousand cells; the plan is the same.")
    ] = 1,
    json: JsonFlag = False,
) -> None:  # fmt: skip
    """Choose the cells whose measurement leaves least unknown, best first.

    Where packets differ by what they execute, the cells name operations and their numbers.
    Without runs or a prior the costs are guessed: measure a first part of the plan, and plan again
    with it.
    """
    # Slow to load: not for --help.
    from joblib import parallel_config

    from linerate.face.lending import donors_of
    from linerate.models.design.planned import plan_runs
    from linerate.models.loans import loan_of
    from linerate.tables.runs import read_runs

    if out is not None:
        check_table(out, [*(runs or []), *(prior or []), *([cells] if cells is not None else [])])
    if not 1 <= budget <= BUDGET_MAX:
        raise bad_input("budget", budget, why="no plan has so many runs", allowed="1 to "
                        f"{BUDGET_MAX} runs", do="measure them, and plan again")  # fmt: skip
    measured = read_runs(runs) if runs else None
    lent = loan_of(donors_of(prior)).prior if prior else None
    with parallel_config(n_jobs=jobs):
        chosen = plan_runs(budget, _cells(cells), measured, lent)
    design = chosen.design
    for note in chosen.notes:
        stderr.print(f"note: {note}")
    if out is not None:
        write_table(out, chosen.table)
        stderr.print(f"wrote {out}: {budget} runs of {chosen.candidates} cells")
    if json:
        print_json(
            {"spread_before": design.spread_before, "cells": chosen.table.to_dict("records")}
        )
    else:
        hidden = [name for name in chosen.alike if name not in ALWAYS]
        stdout.print(chosen.table.drop(columns=hidden).to_string(index=False))
        stdout.print(f"Unknown of a cell's rate, root mean square over {chosen.candidates} cells: "
                     f"{design.spread_before:.1%} now, {design.spread_after[-1]:.1%} after these "
                     f"runs (cells below their ceiling).{_worth(design)}")  # fmt: skip


def _worth(design: Design) -> str:
    """Say where further runs would tell little."""
    if design.spread_after[-1] < LITTLE_GAIN * design.spread_before:
        return ""
    return " These runs add little: ask for other cells, or stop here."


def _cells(path: Path | None) -> pd.DataFrame | None:
    """Read the cells of a table or of a campaign file; None where none is named."""
    from linerate.measure.campaign.campaign import read_campaign
    from linerate.measure.datapaths.own import cost_of
    from linerate.models.design.candidates import planned_cells
    from linerate.tables.runs import read_table

    if path is None:
        return None
    if path.suffix != ".toml":
        return read_table(path)
    planned = read_campaign(path).campaign.cells()
    return planned_cells(planned, [cost_of(cell) for cell in planned], str(path))
