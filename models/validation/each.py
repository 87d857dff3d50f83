"""Several models on the same folds: one after another, or a model each on joblib's workers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linerate.models.runs.limits import CapacityModel
from linerate.models.runs.training import Training
from linerate.models.side_by_side import side_by_side, workers
from linerate.models.validation.folds import Split, fold_count
from linerate.models.validation.validation import FOLDS, Validation, validate
from linerate.progress import Tell

SEED = 0
"""Deals the same folds to every model, wherever it is fitted."""


def validate_all(
    models: Sequence[type[CapacityModel]], training: Training, *, by: Split = "group",
    tell: Tell = lambda part, done, of: None,
) -> tuple[Validation, ...]:  # fmt: skip
    """Validate models on the same folds, in their order.

    Parameters
    ----------
    models
        Members of ``MODELS``.
    training
        Runs, as ``training_of`` gives them.
    by
        What is held out.
    tell
        Called after each fold; where models are fitted side by side, after each model.

    Raises
    ------
    BadInputError
        The table has nothing to hold out so, or nothing is left to fit.
    """
    folds = fold_count(training, by, FOLDS, np.random.default_rng(SEED))
    spread, found = workers() > 1, list[Validation]()
    done, total = 0, len(models) * (1 if spread else folds)

    def fold() -> None:
        nonlocal done
        done += 1
        tell(f"{models[(done - 1) * len(models) // total].name} by {by}", done, total)

    tell(f"{models[0].name} by {by}", 0, total)
    if spread:
        for one in side_by_side(_validated, [(model, training, by) for model in models]):
            found.append(one)
            fold()
        return tuple(found)
    for model in models:
        rng = np.random.default_rng(SEED)
        found.append(validate(model, training, by=by, rng=rng, progress=fold))
    return tuple(found)


def _validated(model: type[CapacityModel], training: Training, by: Split) -> Validation:
    return validate(model, training, by=by, rng=np.random.default_rng(SEED))
