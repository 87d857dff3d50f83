"""Error alone on runs held out: what a choice among models needs, without intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np

from linerate.errors import BadInputError
from linerate.models.runs.cells import Array, Codes
from linerate.models.runs.limits import CapacityModel
from linerate.models.runs.training import Training
from linerate.models.validation.folds import Split, partition, partitions
from linerate.models.validation.spread import Spread, spread
from linerate.models.validation.validation import FOLDS

SEED = 0
"""Deals the same folds to every model."""


def held_out_error(
    model: type[CapacityModel], training: Training, *, by: Split = "group", seed: int = SEED
) -> Spread:
    """Error of a model on the medians of cells that it has not seen.

    The same seed deals the same folds to every model, and the same as ``validate``.

    Parameters
    ----------
    model
        Chosen and fitted on the runs that each fold leaves.
    training
        Runs, as ``training_of`` gives them.
    by
        What is held out.
    seed
        Deals groups to folds.

    Raises
    ------
    BadInputError
        Nothing is left to fit when a fold is held out.
    """
    return spread(np.concatenate([error for _, error in _folds(model, training, by, seed)]))


def fold_errors(
    models: Sequence[type[CapacityModel]], training: Training, by: Split, number: int
) -> dict[str, Array]:  # fmt: skip
    """Relative error of several models on each cell of one fold, by their names.

    Parameters
    ----------
    models
        Each is fitted on the runs that the fold leaves; one that it leaves too little is left out.
    training, by
        As for ``held_out_error``.
    number
        Of the fold, from 0.
    """
    rng, found = np.random.default_rng(SEED), {}
    seen, held = partition(training, by, FOLDS, rng, number)
    for model in models:
        with suppress(BadInputError):
            found[model.name] = _errors(model, seen, held.medians())
    return found


def held_out_by_fold(
    model: type[CapacityModel], training: Training, *, seed: int = SEED, most: float = np.inf
) -> Array | None:
    """Mean over groups of their mean absolute errors, of each fold that holds groups out.

    Parameters
    ----------
    model, training, seed
        As for ``held_out_error``.
    most
        Mean over folds from which a model is given up.

    Returns
    -------
    Shape (folds,), without folds that have nothing to answer for, at least one; None where the mean
    reaches ``most`` whatever the folds that are left give.

    Raises
    ------
    BadInputError
        Nothing is left to fit when a fold is held out.
    """
    means, left = [], most * min(FOLDS, np.unique(training.group).size)
    for groups, errors in _folds(model, training, "group", seed):
        means.append(float(group_means(groups, errors).mean()))
        left -= means[-1]
        if left <= 0.0:
            return None
    return np.array(means) if np.mean(means) < most else None


def group_means(groups: Codes, errors: Array) -> Array:
    """Mean of the absolute errors of each group, in order of their codes.

    >>> group_means(np.array([7, 3, 7]), np.array([0.1, 0.2, -0.3]))
    array([0.2, 0.2])
    """
    _, code = np.unique(groups, return_inverse=True)
    return np.asarray(np.bincount(code, weights=np.abs(errors)) / np.bincount(code))


def _folds(
    model: type[CapacityModel], training: Training, by: Split, seed: int
) -> Iterator[tuple[Codes, Array]]:
    """Group and relative error of each cell held out, of each fold that holds any."""
    for seen, held in partitions(training, by, FOLDS, np.random.default_rng(seed)):
        if len(held):
            medians = held.medians()
            yield medians.group, _errors(model, seen, medians)


def _errors(model: type[CapacityModel], seen: Training, medians: Training) -> Array:
    predicted = model.fit(seen).limits(medians.cells).predicted_mpps
    return np.asarray(predicted / medians.forwarded_mpps - 1.0)
