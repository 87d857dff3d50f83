"""Which model to ship: the best on groups held out, the one of fewer constants on ties."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from linerate.errors import BadInputError, bad_input
from linerate.models.runs.cells import Array
from linerate.models.runs.limits import CapacityModel, Fitter
from linerate.models.runs.training import Training
from linerate.models.validation.held_out import held_out_by_fold
from linerate.models.validation.paired import chance_of
from linerate.models.validation.validation import Validation, validate

TIE = 0.02
"""A mean error within this share of the least is no better."""
CHANCE_MAX = 0.05
"""Chance that groups differ so at random, below which a model is taken to be better."""
NEAR_FLOOR = 1.25
"""Noise floors that the mean error of a model may reach for no other to be tried."""


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
    training: Training, models: Sequence[type[CapacityModel]], seed: int = 0,
    progress: Callable[[], None] = lambda: None,
) -> tuple[type[CapacityModel], Validation | None]:  # fmt: skip
    """Choose by mean error over held-out groups: the first that none beats by more than chance.

    ``MODELS`` names the physical form first: it also has the fewest constants per path. None is
    tried where it lies hardly farther off than a perfect model would, whose medians are of as few
    loads: what is left to gain then is mostly noise, and its folds preferred it to no other. Where
    others were tried, the validation is of folds that were dealt anew, since those that chose
    favour what they chose. ``progress`` is called after each fold of the first.

    Returns
    -------
    The model and its validation; the first and None where the runs are too few to hold any out.
    """
    validation = validate_or_none(models[0], training, seed, progress)
    if validation is None or _near_floor(validation):
        return models[0], validation
    best, least = models[0], _by_fold(validation)
    for model in models[1:]:
        errors = _errors_or_none(model, training, seed, (1.0 - TIE) * float(least.mean()))
        if errors is not None and chance_of(least - errors, errors.size) < CHANCE_MAX:
            best, least = model, errors
    return best, validate_or_none(best, training, seed + 1)


def _near_floor(validation: Validation) -> bool:
    floor = validation.scores.noise_floor
    error_percent = validation.scores.error.mean_percent
    return floor is not None and error_percent <= NEAR_FLOOR * floor.mean_percent


def _by_fold(validation: Validation) -> Array:
    """Mean over groups of each fold of their mean absolute errors, shape (folds,)."""
    frame = validation.frame
    errors = (frame["predicted_mpps"] / frame["measured_mpps"] - 1.0).abs()
    group = [frame[name] for name in ("fold", "datapath", "program", "queues", "memory_accesses")]
    return errors.groupby(group).mean().groupby("fold").mean().to_numpy(dtype=np.float64)


def _errors_or_none(
    model: type[CapacityModel], training: Training, seed: int, most: float
) -> Array | None:
    """Mean error of each fold held out; None where it is no less than the most, or unknown."""
    try:
        return held_out_by_fold(model, training, seed=seed, most=most)
    except BadInputError:
        return None


def validate_or_none(
    model: Fitter, training: Training, seed: int = 0,
    progress: Callable[[], None] = lambda: None,
) -> Validation | None:  # fmt: skip
    """Validate by group, or None where a fold leaves too little to fit."""
    try:
        return validate(model, training, by="group", rng=np.random.default_rng(seed),
                        progress=progress)  # fmt: skip
    except BadInputError:
        return None
