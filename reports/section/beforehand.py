"""Fits that a report asks for, made on every CPU: beforehand, or beside what takes long alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from linerate.errors import BadInputError
from linerate.models import MODELS, Capacity, GaussianProcess, Training
from linerate.models.capacity.known import remember
from linerate.models.fitting import AUTO, SEED
from linerate.models.kinds import KINDS, Kind
from linerate.models.runs.drawn import drawn
from linerate.models.validation.by_split import FoldErrors, folds_of
from linerate.models.validation.choice import model_named
from linerate.models.validation.folds import partition
from linerate.models.validation.held_out import fold_errors
from linerate.models.validation.validation import FOLDS
from linerate.reports.section.by_split import SPLITS, beside
from linerate.reports.section.scores import UnderLoad, under_load
from linerate.reports.section.shared import shared, workers

RUNS_MIN = 200
"""Fewer are fitted sooner than a fork has begun."""
REMEMBERED = (Capacity, GaussianProcess)
"""Models whose fits are known again."""
LOADED = ("scipy.optimize", "scipy.stats", "sklearn.linear_model", "sklearn.gaussian_process",
          "statsmodels.api")  # fmt: skip
"""What fits with, and is slow to load: once for all processes that are forked from here on."""
Runs = TypeVar("Runs")
Fitted = TypeVar("Fitted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What was held out beside a fit."""

    under_load: UnderLoad | None = None
    """Errors of latency and CPU on runs held out; None where they have not been asked for yet."""
    by_split: FoldErrors | None = None
    """Errors of rates by the splits that are not the fit's own, fold by fold; None where they were
    not asked for."""


def fit_all_and_folds(training: Training, model: str, runs: pd.DataFrame) -> tuple[Kind, ...]:
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
    ``KINDS``, of which those that could be fitted give that at once, for this table alone. Models
    of capacity are known again.
    """
    if not _worth_it(training):
        return KINDS
    for name in LOADED:
        import_module(name)
    some = drawn(training)
    seen = [partial(_seen, some, number) for _, number in folds_of(some, "group")]
    named = [one for one in REMEMBERED if model in (AUTO, one.name)]
    models: list[tuple[type[Capacity | GaussianProcess], Callable[[], Training]]]
    models = [(one, lambda: training) for one in named if model == one.name or one is MODELS[0]]
    models += [(one, of_fold) for one in named for of_fold in seen]
    asked = [kind for kind in KINDS if kind.fit is not None]
    # The longest first: no process waits for it at the end.
    works: list[Callable[[], Any]] = [
        *(partial(_or_none, kind.fit, lambda: runs) for kind in asked),
        *(partial(_or_none, one.fit, of_fold) for one, of_fold in models),
    ]
    found = shared(_done, works, workers())
    of_kinds, of_models = found[: len(asked)], found[len(asked) :]
    for (one, of_fold), fitted in zip(models, of_models, strict=True):
        if fitted is not None:
            remember(one, of_fold(), fitted)
    known = {kind.name: fitted for kind, fitted in zip(asked, of_kinds, strict=True)}
    return tuple(_at_once(kind, known.get(kind.name)) for kind in KINDS)


def fit_beside(
    fit: Callable[[], Fitted], training: Training, model: str, runs: pd.DataFrame, *, splits: bool
) -> tuple[Fitted, Beside]:  # fmt: skip
    """Fit here, one step after the other, while other CPUs hold runs out.

    Parameters
    ----------
    fit
        Fits.
    training, model, runs
        As for ``fit_all_and_folds``; where the best model is asked for, the first is held out.
    splits
        Whether rates are held out by each split, too.

    Returns
    -------
    What was fitted, and what was held out.
    """
    if not _worth_it(training):
        return fit(), Beside()
    some = drawn(training)
    models = beside(MODELS[0] if model == AUTO else model_named(model, MODELS))
    # Folds by group are the fit's own: it knows them again, when it is done.
    folds = [fold for split in SPLITS if splits and split != "group"
             for fold in folds_of(some, split)]  # fmt: skip
    works: list[Callable[[], Any]] = [
        partial(under_load, runs), *(partial(fold_errors, models, some, *fold) for fold in folds)
    ]  # fmt: skip
    fitted: list[Fitted] = []
    scores, *errors = shared(_done, works, workers(), meanwhile=lambda: fitted.append(fit()))
    by_split = dict(zip(folds, errors, strict=True)) if splits else None
    return fitted[0], Beside(under_load=scores, by_split=by_split)


def _worth_it(training: Training) -> bool:
    return len(training) >= RUNS_MIN and workers() > 1


def _at_once(kind: Kind, fitted: object) -> Kind:
    """Give what was fitted; one that refused the table, or has no runs in it, says so again."""
    return kind if fitted is None else replace(kind, fit=lambda _: fitted)


def _seen(training: Training, number: int) -> Training:
    """Make what one fold leaves when it is asked for: each is nearly as large as the table."""
    return partition(training, "group", FOLDS, np.random.default_rng(SEED), number)[0]


def _done(work: Callable[[], Runs]) -> Runs:
    return work()


def _or_none(fit: Callable[[Runs], object] | None, of: Callable[[], Runs]) -> object:
    """Fit one; what cannot be fitted is refused again, and said, when it is asked for."""
    try:
        return fit(of()) if fit is not None else None
    except BadInputError:
        return None
