"""Errors of models of planned runs of operations beside those of as many runs drawn at random.

    .venv/bin/python -m benchmarks.models.design_steps RUNS... [--runs 24 48] [--draws 20]

Which load of a work is measured is drawn. Scored are the medians of all works; a work of which a
model has no answer counts as unanswered. ``planned`` plans by guessed costs, in rounds of a third.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from benchmarks.models.loads import loads_of

from linerate.models.design.step_cells import StepCells
from linerate.models.design.steps import choose_steps
from linerate.models.operations import Mixes, MixRuns, mix_runs
from linerate.models.runs.cells import Array, Codes
from linerate.models.runs.selection import is_mixed
from linerate.tables.runs import read_runs

ROUNDS = 3


def at_random(runs: MixRuns, budget: int, rng: np.random.Generator) -> Codes:
    """Draw works, and a load of each."""
    works = np.unique(runs.work)
    return loads_of(runs.work, rng.permutation(works)[:budget], np.array([], dtype=np.intp), rng)


def planned(
    cells: StepCells, runs: MixRuns, budget: int, rng: np.random.Generator
) -> Codes:  # fmt: skip
    """Plan a part, fit, and plan the next by what was fitted."""
    taken = np.array([], dtype=np.intp)
    code = [runs.works.index(work) for work in cells.works]
    for number in range(ROUNDS):
        keep = np.isin(np.arange(len(runs)), taken)
        left = np.array([int(((runs.work == each) & ~keep).sum()) for each in code])
        seen = runs.take(keep) if taken.size else None
        design = choose_steps(cells, budget * (number + 1) // ROUNDS - taken.size, seen, left)
        taken = loads_of(runs.work, np.array(code)[design.rows], taken, rng)
    return taken


def errors_percent(runs: MixRuns, rows: Codes) -> Array:
    """Median and mean absolute error on all works, and the share that has no answer, %."""
    model = Mixes.fit(*runs.take(np.isin(np.arange(len(runs)), rows)).medians())
    works, times_ns = runs.medians()
    known = np.array([not model.unknown(work) for work in works])
    said_ns = np.array([model.time_ns(work)[0] for work in works])
    off = 100.0 * np.abs(times_ns[known] / said_ns[known] - 1.0)
    return np.array([np.median(off), off.mean(), 100.0 * (~known).mean()])


def main() -> None:
    """Print a line for each number of runs and way to choose them."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("table", type=Path, nargs="+")
    options.add_argument("--runs", type=int, nargs="+", default=[24, 48])
    options.add_argument("--draws", type=int, default=20)
    asked = options.parse_args()
    table = read_runs(asked.table)
    table = table[is_mixed(table)].reset_index(drop=True)
    runs = mix_runs(table)
    cells = StepCells.of(table.iloc[runs.row])
    whole = errors_percent(runs, np.arange(len(runs)))
    print(f"all {len(runs)} runs of {len(cells.works)} works: {whole[0]:.1f} / {whole[1]:.1f} %")
    for budget in asked.runs:
        for name in ("at random", "planned"):
            drawn = []
            for seed in range(asked.draws):
                rng = np.random.default_rng(seed)
                rows = (at_random(runs, budget, rng) if name == "at random"
                        else planned(cells, runs, budget, rng))  # fmt: skip
                drawn.append(errors_percent(runs, rows))
            median, mean, unanswered = np.median(drawn, axis=0)
            low, high = np.quantile(np.array(drawn)[:, 1], (0.1, 0.9))
            print(f"{budget} runs, {name}: {median:.1f} / {mean:.1f} % (mean: {low:.1f} to "
                  f"{high:.1f}), {unanswered:.0f} % of works not answered", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
