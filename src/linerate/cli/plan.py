"""``linerate plan``: which cells to measure next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import numpy as np
import pandas as pd
import typer

from linerate.box import Cost, read_box
from linerate.cli.output import JsonFlag, print_json, stderr, stdout
from linerate.cli.planned import foretold
from linerate.errors import BadInputError, bad_input
from linerate.measure.campaign import read_campaign
from linerate.models import Capacity, Cells, Training, cells_of, training_of
from linerate.models.cells import FACTORS, Pair
from linerate.models.design import Design, choose_cells, guessed_path
from linerate.models.domain import domain_of
from linerate.models.paths import PathCost
from linerate.outputs import check_table, write_table
from linerate.runs import read_runs, read_table

EXAMPLES = (
    "Examples: [bold]linerate plan runs.csv --budget 12[/]  |  "
    "[bold]linerate plan --cells data/campaigns/quick.toml --budget 48[/]  |  "
    "[bold]linerate plan results/quick --cells cells.csv --budget 48 --out next.csv --json[/]  |  "
    "[bold]linerate plan --cells cells.csv --box box.toml --budget 12[/]"
)


BUDGET_MAX = 10_000
"""More runs than anyone measures before planning anew."""
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
        typer.Option("--cells", help="Cells to choose from and to be known, a table or a "
                     "campaign file; else all combinations of the factors in RUNS."),
    ] = None,
    box: Annotated[
        Path | None,
        typer.Option("--box", help="Box file with costs to begin with, as linerate fit --box "
                     "writes it, where there are no runs."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="CSV for the chosen cells.")] = None,
    json: JsonFlag = False,
) -> None:  # fmt: skip
    """Choose the cells whose measurement leaves least unknown, best first.

    Without runs the costs are guessed: measure a first part of the plan, and plan again with it.
    """
    if out is not None:
        check_table(out, [*(runs or []), *(path for path in (cells, box) if path is not None)])
    if not 1 <= budget <= BUDGET_MAX:
        raise bad_input("budget", budget, why="no plan is made for it", allowed="1 to "
                        f"{BUDGET_MAX} runs", do="measure them, and plan again")  # fmt: skip
    training = training_of(read_runs(runs)) if runs else None
    for note in (*training.notes, *domain_of(training).notes) if training else ():
        stderr.print(f"note: {note}")
    if cells is None and training is None:
        raise bad_input("runs", "", why="there is nothing to choose from",
                        allowed="runs, or --cells", do="name one of them")  # fmt: skip
    candidates = _asked(cells) if cells is not None else _combinations(training)
    known = read_box(box).costs if box is not None else {}
    design = choose_cells(costs_of(candidates, training, known), candidates, budget,
                          measured=training.cells if training is not None else None)  # fmt: skip
    chosen = _table(candidates, design)
    if out is not None:
        write_table(out, chosen)
        stderr.print(f"wrote {out}: {budget} runs of {len(candidates)} cells")
    if json:
        print_json({"spread_before": design.spread_before, "cells": chosen.to_dict("records")})
    else:
        stdout.print(chosen.to_string(index=False))
        stdout.print(f"Unknown of a cell's rate, root mean square over {len(candidates)} cells: "
                     f"{design.spread_before:.1%} now, {design.spread_after[-1]:.1%} then "
                     "(of those that no ceiling limits)."
                     f"{_worth(design)}")  # fmt: skip


def _worth(design: Design) -> str:
    """Say where measuring on would be in vain."""
    if design.spread_after[-1] < LITTLE_GAIN * design.spread_before:
        return ""
    return " These runs would tell little more than is known: ask for other cells, or stop here."


def _asked(path: Path) -> Cells:
    """Read cells from a table, or those of a campaign file that capacity can be told of."""
    if path.suffix != ".toml":
        return cells_of(read_table(path))
    return cells_of(foretold(read_campaign(path).campaign.cells(), "cells", str(path)))


def _combinations(training: Training | None) -> Cells:
    """All combinations of each pair's factors, as far as its runs show them."""
    assert training is not None
    known = training.cells
    parts = []
    for code in np.unique(known.pair):
        own = known.take(known.pair == code)
        levels = [np.unique(getattr(own, name)) for name in FACTORS]
        product = pd.MultiIndex.from_product(levels, names=FACTORS).to_frame(index=False)
        pair = known.pairs[code]
        parts.append(product.assign(datapath=pair.datapath, program=pair.program))
    return cells_of(pd.concat(parts, ignore_index=True))


def costs_of(
    candidates: Cells, training: Training | None, known: Mapping[str, Cost] = MappingProxyType({})
) -> Sequence[PathCost]:
    """Fitted costs where the runs suffice, else those of a box, guessed ones where it has none."""
    fitted: dict[Pair, PathCost] = {}
    if training is not None:
        try:
            fitted = {path.pair: path for path in Capacity.fit(training).paths}
        except BadInputError as error:
            stderr.print(f"costs are guessed: {error}")
    there = training.cells.pairs if training is not None else ()
    pairs = dict.fromkeys((*candidates.pairs, *there))
    return [fitted.get(pair) or _of_box(guessed_path(pair), known) for pair in pairs]


def _of_box(guessed: PathCost, known: Mapping[str, Cost]) -> PathCost:
    """Put a box's costs where they are guessed; how they grow with queues no box file says."""
    begin = f"{guessed.pair.datapath}.{guessed.pair.program}."
    values = {
        name: known[begin + name].value_ns
        for name in guessed.form.parameters
        if begin + name in known
    }
    return guessed.with_values(values)


def _table(candidates: Cells, design: Design) -> pd.DataFrame:
    chosen = candidates.take(design.rows)
    pairs = [chosen.pairs[code] for code in chosen.pair]
    factors = {name: getattr(chosen, name) for name in FACTORS}
    factors |= {name: factors[name].astype(np.int64) for name in ("memory_accesses", "queues")}
    return pd.DataFrame(
        {"datapath": [pair.datapath for pair in pairs], "program": [pair.program for pair in pairs],
         **factors, "unknown_after": design.spread_after}
    )  # fmt: skip
