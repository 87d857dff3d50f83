"""Which model to ship: the best on groups held out, the one of fewer constants on ties."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from linerate.errors import BadInputError, bad_input
from linerate.models.held_out import held_out_error
from linerate.models.limits import CapacityModel
from linerate.models.training import Training
from linerate.models.validation import Validation, noise_floor, validate

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

    ``MODELS`` names the physical form first: it also has the fewest constants per path. Models
    are tried in their order until one lies no farther off than single runs lie from their cell's
    median; what is better than that has learned of luck.

    Returns
    -------
    The model and its validation; the first and None where the runs are too few to hold any out.
    """
    floor = noise_floor(training)
    errors: list[float] = []
    for model in models:
        errors.append(_mean_error_percent(model, training, seed))
        if not math.isfinite(errors[0]):
            return models[0], None
        if floor is not None and errors[-1] <= floor.mean_percent:
            break
    best = min(errors)
    first = next(i for i, error in enumerate(errors) if error <= (1.0 + TIE) * best)
    return models[first], validate_or_none(models[first], training, seed)


def _mean_error_percent(model: type[CapacityModel], training: Training, seed: int) -> float:
    """Mean error over held-out groups; inf where a fold leaves too little to fit."""
    try:
        return held_out_error(model, training, seed=seed).mean_percent
    except BadInputError:
        return math.inf


def validate_or_none(
    model: type[CapacityModel], training: Training, seed: int = 0
) -> Validation | None:
    """Validate by group, or None where a fold leaves too little to fit."""
    try:
        return validate(model, training, by="group", rng=np.random.default_rng(seed))
    except BadInputError:
        return None
