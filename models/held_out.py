"""Error alone on runs held out: what a choice among models needs, without intervals."""

from __future__ import annotations

import numpy as np

from linerate.models.folds import Split, partitions
from linerate.models.limits import CapacityModel
from linerate.models.training import Training
from linerate.models.validation import FOLDS, Spread, spread


def held_out_error(
    model: type[CapacityModel], training: Training, *, by: Split = "group", seed: int = 0
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
    errors = []
    for seen, held in partitions(training, by, FOLDS, np.random.default_rng(seed)):
        medians = held.take(np.isin(held.cells.pair, np.unique(seen.cells.pair))).medians()
        said = model.fit(seen).limits(medians.cells).predicted_mpps
        errors.append(said / medians.forwarded_mpps - 1.0)
    return spread(np.concatenate(errors))
