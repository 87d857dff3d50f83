"""What a right form would score: ``python -m benchmarks.models.form_floor TABLE...``.

A noise floor is the error of a model that knows all constants. A form that is right has to learn
them from as few loads as there are. So runs are drawn from the fit of a table itself, with the
noise of its loads, and each work is held out as ``validate`` holds it out; of tables of memory
accesses each group.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from linerate.errors import BadInputError
from linerate.models import Pair, Training, noise_floor, training_of
from linerate.models.capacity.model import Capacity
from linerate.models.operations import Mixes, mix_runs
from linerate.models.operations.held_out import HeldOut, held_out
from linerate.models.operations.runs import MixRuns
from linerate.models.runs.cells import Array
from linerate.models.validation.floor import log_deviations
from linerate.models.validation.spread import Spread, spread
from linerate.models.validation.validation import validate
from linerate.tables.runs import read_runs

DRAWS, CAPACITY_DRAWS = 8, 4


def main() -> None:
    """Print the error of each sort of what is held out, and that of the right form."""
    for folder in map(Path, sys.argv[1:]):
        table = read_runs([folder])
        try:
            runs = mix_runs(table)
        except BadInputError:
            of_capacity(folder.name, training_of(table))
            continue
        works, times_ns = runs.medians()
        found = errors(list(held_out(works, times_ns)))
        right = errors([one for drawn_ns in drawn(runs) for one in held_out(works, drawn_ns)])
        for sort, error in found.items():
            print(f"{folder.name}, {sort}: {error} %, the right form {right[sort]} %", flush=True)


def of_capacity(name: str, training: Training) -> None:
    """Print the same of groups, path by path, beside the noise and what a fit of all is off."""
    held = validate(Capacity, training, by="group", rng=np.random.default_rng(0))
    model = Capacity.fit(training)
    cell_mpps = model.limits(training.cells).predicted_mpps
    rng, right = np.random.default_rng(0), []
    for _ in range(CAPACITY_DRAWS):
        mpps = cell_mpps.copy()
        for rows in (training.cells.pair == code for code in np.unique(training.cells.pair)):
            apart = log_deviations(training.forwarded_mpps[rows], training.cell[rows])
            mpps[rows] *= np.exp(rng.choice(apart / np.sqrt(1.5), rows.sum()))
        loads = replace(training, forwarded_mpps=np.minimum(mpps, training.ceiling_mpps))
        right.append(validate(Capacity, loads, by="group", rng=np.random.default_rng(0)).frame)
    for pair in (None, *training.cells.pairs):
        seen = training if pair is None else training.take(
            training.cells.pair == training.cells.pairs.index(pair))  # fmt: skip
        medians = seen.medians()
        fitted = model.limits(medians.cells).predicted_mpps / medians.forwarded_mpps - 1.0
        print(f"{name}, {pair or 'group'}: {of_pair(held.frame, pair)} %, a fit of all "
              f"{spread(fitted)}, the right form {of_pair(pd.concat(right), pair)}, "
              f"noise {noise_floor(seen)}", flush=True)  # fmt: skip


def of_pair(frame: pd.DataFrame, pair: Pair | None) -> Spread:
    """Take the errors of a path's cells; of None all."""
    if pair is not None:
        own = (frame["datapath"] == pair.datapath) & (frame["program"] == pair.program)
        frame = frame[own]
    return spread((frame["predicted_mpps"] / frame["measured_mpps"] - 1.0).to_numpy())


def drawn(runs: MixRuns) -> list[Array]:
    """Draw medians of works, as if the fit were the truth and loads deviated as they do."""
    rng = np.random.default_rng(0)
    works, times_ns = runs.medians()
    model = Mixes.fit(works, times_ns)
    truth_ns = np.array([model.time_ns(work)[0] for work in works])
    loads = np.bincount(runs.work)
    # Of a load from the median of the others, about two: the noise of both is in it.
    apart = log_deviations(runs.packet_ns, runs.work) / np.sqrt(1.5)
    return [
        truth_ns * np.exp([np.median(rng.choice(apart, size)) for size in loads])
        for _ in range(DRAWS)
    ]


def errors(asked: list[HeldOut]) -> dict[str, Spread]:
    """Take the errors of what was answered within the measured range, by sort."""
    by_sort: dict[str, list[float]] = {}
    for one in asked:
        if not one.unknown and not one.outside:
            by_sort.setdefault(one.sort, []).append(float(np.expm1(-one.score)))
    return {sort: spread(np.array(own)) for sort, own in by_sort.items()}


if __name__ == "__main__":
    main()
