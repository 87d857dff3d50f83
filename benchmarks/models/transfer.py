"""Errors of a model that begins from another box, against one that does not, by runs measured.

    .venv/bin/python -m benchmarks.models.transfer LENDER RUNS [--draws 10]

Runs of each path are planned by the lender's constants; which load of a cell is measured is drawn.
Scored are cells of groups (datapath, program, queues, accesses) of which no run was seen. Where
LENDER is RUNS a random half of the groups lends to the other half.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from linerate.errors import BadInputError
from linerate.line_rate import holds
from linerate.models.capacity.model import Capacity
from linerate.models.design import choose_cells
from linerate.models.intervals.loan import Loan
from linerate.models.intervals.predictor import Predictor, fit_predictor
from linerate.models.loans import loan_of, predictor_of
from linerate.models.runs.cells import Array, Codes
from linerate.models.runs.limits import CapacityModel
from linerate.models.runs.training import Training, training_of
from linerate.tables.runs import read_runs

RUNS = (0, 1, 3, 5, 10, 20)
"""Of each path."""
FULL = -1
"""Instead of a number of runs: nine tenths of all groups."""


def planned(loan: Loan, training: Training, runs: int, rng: np.random.Generator) -> Codes:
    """Rows of so many runs of each path, planned by what is lent."""
    medians, rows = training.medians(), []
    for path in loan.prior.paths:
        if path.pair not in training.pairs_seen:
            continue
        code = training.cells.pairs.index(path.pair)
        own = np.flatnonzero(medians.cells.pair == code)
        chosen = choose_cells([path], medians.cells.take(own), runs).rows
        for cell in medians.cell[own[chosen]]:
            there = np.flatnonzero(training.cell == cell)
            rows.append(int(rng.choice(np.setdiff1d(there, rows) if set(there) - set(rows)
                                       else there)))  # fmt: skip
    return np.unique(rows)


def error_percent(model: CapacityModel, held: Training) -> tuple[float, float]:
    """Median and mean absolute error on medians of cells."""
    medians = held.medians()
    predicted = model.limits(medians.cells).predicted_mpps
    off = 100.0 * np.abs(predicted / medians.forwarded_mpps - 1.0)
    return float(np.median(off)), float(off.mean())


def inside(predictor: Predictor, held: Training) -> tuple[float, float]:
    """Share of single loads in their interval, %, and its mean half-width, % of the prediction."""
    found = predictor.predict_cells(held.cells)
    within = holds(found.lower_mpps, found.upper_mpps, held.forwarded_mpps, held.cells.line_mpps)
    half = 50.0 * (found.upper_mpps - found.lower_mpps) / found.predicted_mpps
    return 100.0 * float(within.mean()), float(half.mean())


def boxes(lender: Training, own: Training, same: bool, draws: int) -> Iterator[
    tuple[Loan, Training, np.random.Generator]
]:  # fmt: skip
    """Yield what is lent, the runs that may be measured, and the draw's randomness."""
    whole = None if same else lent_by(lender)
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        if whole is not None:
            known = np.array([pair in whole.prior.pairs for pair in own.cells.pairs])
            yield whole, own.take(known[own.cells.pair]), rng
            continue
        groups = np.unique(own.group)
        half = np.isin(own.group, rng.permutation(groups)[: groups.size // 2])
        yield lent_by(own.take(half)), own.take(~half), rng


def lent_by(training: Training) -> Loan:
    """Fit a lender."""
    return loan_of({"lender": fit_predictor(Capacity, training, np.random.default_rng(0))})


def scores(loan: Loan, own: Training, runs: int, rng: np.random.Generator) -> dict[str, Array]:
    """Errors, coverage and half-widths of one draw, by what was fitted."""
    if runs == FULL:
        groups = rng.permutation(np.unique(own.group))
        rows = np.flatnonzero(~np.isin(own.group, groups[: max(groups.size // 10, 1)]))
    else:
        rows = planned(loan, own, runs, rng) if runs else np.array([], dtype=np.intp)
    seen = own.take(rows)
    held = own.take(~np.isin(own.group, seen.group))
    predictor = fit_predictor(loan, seen, rng) if len(seen) else predictor_of(loan)
    found = {"prior": np.array([*error_percent(predictor.model, held), *inside(predictor, held)])}
    try:
        found["none"] = np.array(error_percent(Capacity.fit(seen), held))
    except (BadInputError, ValueError):  # too few to fit, or none
        found["none"] = np.full(2, np.nan)
    return found


def main() -> None:
    """Print a line for each number of runs: means over draws, and their range."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("lender", type=Path)
    options.add_argument("runs", type=Path)
    options.add_argument("--draws", type=int, default=10)
    asked = options.parse_args()
    lender, own = (training_of(read_runs([path])) for path in (asked.lender, asked.runs))
    same = asked.lender == asked.runs
    print("runs of each path | prior: median / mean %, (range of mean) | none: the same | "
          "single loads inside, half-width %")  # fmt: skip
    for runs in (*RUNS, FULL):
        drawn = [scores(loan, training, runs, rng)
                 for loan, training, rng in boxes(lender, own, same, asked.draws)]  # fmt: skip
        prior, none = (np.array([one[name] for one in drawn]) for name in ("prior", "none"))
        words = [
            f"{of[:, 0].mean():.1f} / {of[:, 1].mean():.1f} ({of[:, 1].min():.1f} to "
            f"{of[:, 1].max():.1f})" for of in (prior, none)
        ]  # fmt: skip
        name = "9/10 of all" if runs == FULL else str(runs)
        print(f"{name} | {words[0]} | {words[1]} | {prior[:, 2].mean():.0f}, "
              f"{prior[:, 3].mean():.0f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
