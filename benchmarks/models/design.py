"""Errors of models of planned runs beside those of as many runs drawn at random.

    .venv/bin/python -m benchmarks.models.design RUNS [--runs 24 48] [--draws 20] [--prior RUNS]

Which load of a cell is measured is drawn. Scored are the medians of all cells, which no
choice has seen. ``at once`` plans all runs by guessed costs, ``in rounds`` a third first and
then a third more each time by what was fitted, ``prior`` at once by the constants of another box.
The first lines say what no plan can go below: the spread that constants leave, over that of runs
drawn at random.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from benchmarks.models.loads import loads_of

from linerate.errors import BadInputError
from linerate.models.capacity.error import log_slopes
from linerate.models.capacity.model import Capacity
from linerate.models.capacity.paths import PathCost
from linerate.models.design import choose_cells, guessed_path
from linerate.models.design.candidates import costs_of
from linerate.models.runs.cells import Array, Cells, Codes
from linerate.models.runs.training import Training, training_of
from linerate.tables.runs import read_runs

ROUNDS = 3
STEPS = 3000
Chooser = Callable[[Training, int, np.random.Generator], Codes]


def at_random(training: Training, runs: int, rng: np.random.Generator) -> Codes:
    """Draw cells, and a load of each."""
    cells = np.unique(training.cell)
    return loads_of(training.cell, rng.permutation(cells)[:runs], np.array([], dtype=np.intp), rng)


def left_of(training: Training, taken: Codes) -> Codes:
    """Count the loads that each cell has left, in the order of its medians."""
    medians = training.medians()
    counts = np.bincount(training.cell, minlength=int(training.cell.max()) + 1)
    counts -= np.bincount(training.cell[taken], minlength=counts.size)
    return counts[medians.cell]


def by_costs(costs: Sequence[PathCost]) -> Chooser:
    """Plan all runs at once by given costs."""

    def choose(training: Training, runs: int, rng: np.random.Generator) -> Codes:
        medians, none = training.medians(), np.array([], dtype=np.intp)
        design = choose_cells(costs, medians.cells, runs, left=left_of(training, none))
        return loads_of(training.cell, medians.cell[design.rows], none, rng)

    return choose


def in_rounds(training: Training, runs: int, rng: np.random.Generator) -> Codes:
    """Plan a part, fit, and plan the next by what was fitted."""
    medians, rows = training.medians(), np.array([], dtype=np.intp)
    for number in range(ROUNDS):
        seen = training.take(rows) if rows.size else None
        costs, _ = costs_of(medians.cells, seen)
        design = choose_cells(costs, medians.cells, runs * (number + 1) // ROUNDS - rows.size,
                              measured=seen.cells if seen is not None else None,
                              left=left_of(training, rows))  # fmt: skip
        rows = loads_of(training.cell, medians.cell[design.rows], rows, rng)
    return rows


def error_percent(training: Training, rows: Codes) -> Array:
    """Median and mean absolute error on all cells of a model of some runs; nan without a model."""
    medians = training.medians()
    try:
        model = Capacity.fit(training.take(rows))
        predicted = model.limits(medians.cells).predicted_mpps
    except BadInputError:
        return np.full(2, np.nan)
    off = 100.0 * np.abs(predicted / medians.forwarded_mpps - 1.0)
    return np.array([np.median(off), off.mean()])


def least_ratio(path: PathCost, cells: Cells) -> float:
    """Spread of log rates by constants after the best plan, over that after runs at random.

    A random draw of n runs leaves p variances of a run over n, for p constants. The share of runs
    of each cell that leaves least is found by multiplicative steps (Silvey, Titterington and
    Torsney, Commun. Stat. A7 (1978)).
    """
    slopes = log_slopes(path, cells)
    asked = slopes.T @ slopes / len(cells)
    share, left = np.full(len(cells), 1.0 / len(cells)), np.inf
    for _ in range(STEPS):
        inverse = np.linalg.pinv(slopes.T @ (share[:, None] * slopes))
        worth = ((slopes @ inverse @ asked @ inverse) * slopes).sum(axis=1)
        left = float(np.trace(inverse @ asked))
        share = share * np.sqrt(np.maximum(worth, 0.0) / left)
        share /= share.sum()
    return float(np.sqrt(left / np.linalg.matrix_rank(asked)))


def main() -> None:
    """Print a line for each number of runs and way to choose them."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("table", type=Path)
    options.add_argument("--runs", type=int, nargs="+", default=[24, 48])
    options.add_argument("--draws", type=int, default=20)
    options.add_argument("--prior", type=Path)
    asked = options.parse_args()
    training = training_of(read_runs([asked.table]))
    pairs, medians = training.cells.pairs, training.medians()
    choosers: dict[str, Chooser] = {
        "random": at_random, "at once": by_costs([guessed_path(pair) for pair in pairs]),
        "in rounds": in_rounds,
    }  # fmt: skip
    if asked.prior is not None:
        lender = Capacity.fit(training_of(read_runs([asked.prior])))
        choosers["prior"] = by_costs([path for path in lender.paths if path.pair in pairs])
    whole = error_percent(training, np.arange(len(training)))
    print(f"all {len(training)} runs: {whole[0]:.1f} / {whole[1]:.1f} %")
    for path in Capacity.fit(training).paths:
        own = medians.cells.take(medians.cells.pair == pairs.index(path.pair))
        print(f"{path.pair}: at best {least_ratio(path, own.of_pairs([path.pair])):.2f} of random")
    for runs in asked.runs:
        for name, chooser in choosers.items():
            drawn = [error_percent(training, chooser(training, runs, np.random.default_rng(seed)))
                     for seed in range(asked.draws)]  # fmt: skip
            found = np.array(drawn)
            ends = np.nanquantile(found[:, 1], (0.1, 0.9))
            middle = np.nanmedian(found, axis=0)
            print(f"{runs} runs, {name}: {middle[0]:.1f} / {middle[1]:.1f} % (mean: "
                  f"{ends[0]:.1f} to {ends[1]:.1f}, {np.isnan(found[:, 0]).sum()} without a model)",
                  flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
