"""Which model to ship: the best by grouped validation, the one of fewer constants on ties."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linerate.errors import BadInputError, bad_input
from linerate.models.limits import CapacityModel
from linerate.models.training import Training
from linerate.models.validation import Validation, validate

TIE = 0.02
"""A mean error within this share of the least is not worse."""


def model_named(name: str, models: Sequence[type[CapacityModel]]) -> type[CapacityModel]:
    """Find a model by its name.

    Raises
    ------
    BadInputError
        None has it.
    """
    for model in models:
        if model.name == name:
            return model
    raise bad_input(
        "model", name, why="no such model", allowed=", ".join([*(m.name for m in models), "auto"]),
        do="use one of these names",
    )  # fmt: skip


def choose_model(
    training: Training, models: Sequence[type[CapacityModel]], seed: int = 0
) -> tuple[type[CapacityModel], Validation | None]:
    """Choose by mean error over held-out groups; on ties the earlier of ``models``.

    ``MODELS`` names the physical form first: it also has the fewest constants per path.

    Returns
    -------
    The model and its validation; the first and None where the runs are too few to hold any out.
    """
    validations = []
    for model in models:
        validation = validate_or_none(model, training, seed)
        if validation is None:
            return models[0], None
        validations.append(validation)
    errors = [validation.scores.error.mean_percent for validation in validations]
    best = min(errors)
    first = next(i for i, error in enumerate(errors) if error <= (1.0 + TIE) * best)
    return models[first], validations[first]


def validate_or_none(
    model: type[CapacityModel], training: Training, seed: int = 0
) -> Validation | None:
    """Validate by group, or None where a fold leaves too little to fit."""
    try:
        return validate(model, training, by="group", rng=np.random.default_rng(seed))
    except BadInputError:
        return None
