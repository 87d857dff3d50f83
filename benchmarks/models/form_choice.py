"""What the choice of a form decides: ``python -m benchmarks.models.form_choice RUNS [RUNS ...]``.

A simpler form is taken where it predicts within ``TIE`` as well as the best. With groups held out,
errors for several such shares stand beside those of no choice at all: every form that was asked is
fitted, and their rates are averaged by weights that the inner folds give them.

References
----------
Yao, Vehtari, Simpson and Gelman, Bayesian Analysis 13 (2018), for weights by held-out error.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from linerate.models import Training, training_of
from linerate.models.capacity import fit, form
from linerate.models.capacity.packet_time import PathForm
from linerate.models.capacity.paths import path_limits
from linerate.models.capacity.transfer import Prior
from linerate.models.runs.cells import Array, Pair
from linerate.models.validation.folds import partitions
from linerate.models.validation.spread import spread
from linerate.tables.runs import read_runs

FOLDS = 5
TIES = (0.0, 0.01, 0.02, 0.05, 0.1)
Asked = dict[Pair, dict[PathForm, float]]
"""Held-out error of each form that was asked, by its path."""


def chosen(seen: Training, tie: float) -> tuple[dict[Pair, PathForm], bool, Asked]:
    """Choose forms as the model does, and keep what was asked on the way."""
    asked: Asked = defaultdict(dict)
    scored, shipped = form.held_out_error, form.TIE

    def kept(medians: Training, one: PathForm, prior: Prior | None = None) -> float:
        ((pair,), error) = medians.pairs_seen, scored(medians, one, prior)
        asked[pair][one] = error
        return error

    form.held_out_error, form.TIE = kept, tie
    try:
        forms, shared, _ = form.choose_forms(seen)
    finally:
        form.held_out_error, form.TIE = scored, shipped
    return forms, shared, asked


def by_one(seen: Training, held: Training, tie: float) -> Array:
    """Predict by the forms chosen."""
    forms, shared, _ = chosen(seen, tie)
    paths = fit.fit_paths(seen, forms, shared_access=shared)
    return path_limits(paths, held.cells).predicted_mpps


def by_all(seen: Training, held: Training) -> Array:
    """Average the logarithms of what all forms asked predict, by their held-out likelihood."""
    forms, _, asked = chosen(seen, form.TIE)
    logs = np.zeros(len(held))
    for code, pair in enumerate(held.cells.pairs):
        rows = held.cells.pair == code
        if not rows.any():
            continue
        own, part = held.take(rows), seen.take(seen.cells.pair == seen.cells.pairs.index(pair))
        weights = weights_of(asked[pair] or {forms[pair]: 1.0}, np.unique(part.group).size)
        for one, weight in weights.items():
            paths = fit.fit_paths(part, {pair: one}, shared_access=False)
            logs[rows] += weight * np.log(path_limits(paths, own.cells).predicted_mpps)
    return np.asarray(np.exp(logs))


def weights_of(errors: dict[PathForm, float], groups: int) -> dict[PathForm, float]:
    """Weights by the likelihood of absolute errors (Laplace), one for each group."""
    finite = {one: error for one, error in errors.items() if np.isfinite(error)}
    least = min(finite.values())
    raw = {one: (error / least) ** -groups for one, error in finite.items()}
    return {one: weight / sum(raw.values()) for one, weight in raw.items()}


def errors_of(training: Training) -> dict[str, Array]:
    """Absolute errors of held-out medians, by what was done."""
    errors: dict[str, list[Array]] = defaultdict(list)
    for seen, held in partitions(training, "group", FOLDS, np.random.default_rng(0)):
        medians = held.medians()
        for tie in TIES:
            rates = by_one(seen, medians, tie)
            errors[f"tie {tie:g}"].append(np.abs(rates / medians.forwarded_mpps - 1.0))
        rates = by_all(seen, medians)
        errors["all forms, weighted"].append(np.abs(rates / medians.forwarded_mpps - 1.0))
    return {name: np.concatenate(parts) for name, parts in errors.items()}


def main() -> None:
    """Print a line for each table and way."""
    for path in map(Path, sys.argv[1:]):
        training = training_of(read_runs([path]))
        print(path)
        for name, errors in errors_of(training).items():
            print(f"  {name:22} {spread(errors)}")


if __name__ == "__main__":
    main()
