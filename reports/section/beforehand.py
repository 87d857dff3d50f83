"""Fits that a report asks for, made beforehand on every CPU: one fit does not wait for another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from linerate.errors import BadInputError
from linerate.models import MODELS, Capacity, CapacityModel, GaussianProcess, Hybrid, Training
from linerate.models.capacity.known import remember
from linerate.models.fitting import AUTO, SEED
from linerate.models.validation.folds import Split, partitions
from linerate.models.validation.validation import FOLDS
from linerate.reports.section.shared import shared, workers

RUNS_MIN = 200
"""Fewer are fitted sooner than a fork has begun."""
REMEMBERED = (Capacity, GaussianProcess)
"""Models whose fits are known again."""
Part = tuple[type[CapacityModel], Training]


def fit_all_and_folds(training: Training, model: str) -> None:
    """Fit what a choice among models, or one model of a name, fits on all runs and on folds."""
    named = [one for one in REMEMBERED if model in (AUTO, one.name)]
    whole = [(one, training) for one in named if model == one.name or one is MODELS[0]]
    folds = [part for one in named for part in _folds(one, training, ("group",))]
    _fit([*whole, *folds], training)  # the longest first: no process waits for it at the end


def fit_folds(
    training: Training, models: Sequence[type[CapacityModel]], splits: Sequence[Split]
) -> None:
    """Fit what holding runs out by each split will fit; one that these runs lack is left out."""
    named = [one for one in REMEMBERED if one in models or (one is Capacity and Hybrid in models)]
    _fit([part for one in named for part in _folds(one, training, splits)], training)
    if Hybrid in models:  # it begins with the physical model, which is known by now
        _fit([*_folds(Hybrid, training, splits)], training)


def _folds(
    model: type[CapacityModel], training: Training, splits: Sequence[Split]
) -> Iterator[Part]:
    for split in splits:
        try:
            folds = list(partitions(training, split, FOLDS, np.random.default_rng(SEED)))
        except BadInputError:  # one value only: whoever holds it out says so
            continue
        yield from ((model, seen) for seen, _ in folds)


def _fit(parts: Sequence[Part], training: Training) -> None:
    if len(training) < RUNS_MIN or workers() < 2:
        return
    for (model, seen), fitted in zip(parts, shared(_fitted, parts, workers()), strict=True):
        if fitted is not None:
            remember(model, seen, fitted)


def _fitted(part: Part) -> CapacityModel | None:
    """Fit one; what cannot be fitted is refused again, and said, when it is asked for."""
    model, seen = part
    try:
        return model.fit(seen)
    except BadInputError:
        return None
