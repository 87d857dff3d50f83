"""Fits that a report asks for, made beforehand on every CPU: one fit does not wait for another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import pandas as pd

from linerate.errors import BadInputError
from linerate.models import MODELS, Capacity, CapacityModel, GaussianProcess, Hybrid, Training
from linerate.models.capacity.known import remember
from linerate.models.fitting import AUTO, SEED
from linerate.models.kinds import KINDS, Kind
from linerate.models.validation.folds import Split, partitions
from linerate.models.validation.validation import FOLDS
from linerate.reports.section.shared import shared, workers

RUNS_MIN = 200
"""Fewer are fitted sooner than a fork has begun."""
REMEMBERED = (Capacity, GaussianProcess)
"""Models whose fits are known again."""
Part = tuple[type[CapacityModel], Training] | tuple[Kind, pd.DataFrame]


def fit_all_and_folds(
    training: Training, model: str, runs: pd.DataFrame
) -> tuple[Kind, ...]:  # fmt: skip
    """Fit what a choice among models, or one model of a name, fits on all runs and on folds.

    Parameters
    ----------
    training
        Runs whose capacity is fitted.
    model
        Name of a member of ``MODELS``, or ``auto``.
    runs
        All rows of the table, for the other kinds.

    Returns
    -------
    ``KINDS``, of which those that could be fitted give that at once, for this table alone.
    """
    named = [one for one in REMEMBERED if model in (AUTO, one.name)]
    whole = [(one, training) for one in named if model == one.name or one is MODELS[0]]
    folds = [part for one in named for part in _folds(one, training, ("group",))]
    kinds = [(kind, runs) for kind in KINDS if kind.fit is not None]
    # The longest first: no process waits for it at the end.
    fitted = _fit([*kinds, *whole, *folds], training)
    known = {kind.name: found for (kind, _), found in zip(kinds, fitted, strict=False)}
    return tuple(_at_once(kind, known.get(kind.name)) for kind in KINDS)


def _at_once(kind: Kind, fitted: object) -> Kind:
    """Give what was fitted; one that refused the table, or has no runs in it, says so again."""
    return kind if fitted is None else replace(kind, fit=lambda _: fitted)


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
) -> Iterator[tuple[type[CapacityModel], Training]]:
    for split in splits:
        try:
            folds = list(partitions(training, split, FOLDS, np.random.default_rng(SEED)))
        except BadInputError:  # one value only: whoever holds it out says so
            continue
        yield from ((model, seen) for seen, _ in folds)


def _fit(parts: Sequence[Part], training: Training) -> list[object]:
    """Fit every part, and keep what was fitted of models; nothing where it would take longer."""
    if len(training) < RUNS_MIN or workers() < 2:
        return []
    fitted = shared(_fitted, parts, workers())
    for (model, seen), one in zip(parts, fitted, strict=True):
        if isinstance(model, type) and isinstance(seen, Training) and one is not None:
            remember(model, seen, one)
    return fitted


def _fitted(part: Part) -> object:
    """Fit one; what cannot be fitted is refused again, and said, when it is asked for."""
    model, seen = part
    fit = cast("Callable[[object], object] | None", model.fit)
    try:
        return fit(seen) if fit is not None else None
    except BadInputError:
        return None
