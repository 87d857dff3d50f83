"""Do refined pipelines predict better? ``python -m benchmarks.models.form_dealings RUNS``.

The model chooses a form by one dealing of groups to the inner folds. Here each refinement of a
pipeline's form is held out by twenty, of every path that is one, and set against the form that
they refine by a corrected resampled t-test, which knows that dealings share their runs.

References
----------
Nadeau and Bengio, Machine Learning 52 (2003), for the correction.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from linerate.models import Training, training_of
from linerate.models.capacity.fit import fit_paths
from linerate.models.capacity.form import FOLDS, choose_forms, of_the_core
from linerate.models.capacity.packet_time import PathForm
from linerate.models.capacity.paths import path_limits
from linerate.models.runs.cells import Array
from linerate.models.validation.folds import partitions
from linerate.models.validation.paired import chance_of
from linerate.tables.runs import read_runs

DEALINGS = 20


def of_folds(medians: Training, form: PathForm) -> Array:
    """Mean absolute log error of each fold of each dealing, shape (DEALINGS * FOLDS,)."""
    errors = []
    for seed in range(DEALINGS):
        for seen, held in partitions(medians, "group", FOLDS, np.random.default_rng(seed)):
            paths = fit_paths(seen, dict.fromkeys(seen.pairs_seen, form), shared_access=False)
            rates = path_limits(paths, held.cells).predicted_mpps
            errors.append(float(np.abs(np.log(rates / held.forwarded_mpps)).mean()))
    return np.array(errors)


def main() -> None:
    """Print a line for each form: mean errors path by path, and the chance of all together."""
    runs = training_of(read_runs([Path(sys.argv[1])]))
    medians, (chosen, _, _) = runs.medians(), choose_forms(runs)
    found: dict[str, list[Array]] = {}
    for pair, form in chosen.items():
        if form.stages == 2:
            own = medians.take(medians.cells.pair == medians.cells.pairs.index(pair))
            plain = replace(form, user_law="tapered", by_byte=True, crowded=True)
            for one in (plain, *of_the_core(plain)):
                found.setdefault(f"{one.user_law}, by_byte={one.by_byte}", []).append(
                    of_folds(own, one))  # fmt: skip
    first = np.mean(next(iter(found.values())), axis=0)
    for name, errors in found.items():
        means = ", ".join(f"{100.0 * one.mean():.2f}" for one in errors)
        print(f"{name:28} {means} %; p = {chance_of(first - np.mean(errors, axis=0), FOLDS):.3f}")


if __name__ == "__main__":
    main()
