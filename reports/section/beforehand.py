"""Fits that a report asks for, made beforehand on every CPU: one fit does not wait for another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from linerate.errors import BadInputError
from linerate.models import MODELS, Capacity, GaussianProcess, Training
from linerate.models.capacity.known import remember
from linerate.models.fitting import AUTO, SEED
from linerate.models.kinds import KINDS, Kind
from linerate.models.runs.drawn import drawn
from linerate.models.validation.by_split import Each, one_by_one
from linerate.models.validation.folds import fold_count, partition
from linerate.models.validation.validation import FOLDS
from linerate.reports.section.scores import UnderLoad, under_load
from linerate.reports.section.shared import shared, workers

RUNS_MIN = 200
"""Fewer are fitted sooner than a fork has begun."""
REMEMBERED = (Capacity, GaussianProcess)
"""Models whose fits are known again."""
Runs = TypeVar("Runs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Beforehand:
    """What was fitted beforehand, beside capacity models, which are known again."""

    kinds: tuple[Kind, ...] = KINDS
    """``KINDS``, of which those that could be fitted give that at once, for this table alone."""
    under_load: UnderLoad | None = None
    """Errors of latency and CPU on runs held out; None where they have not been asked for yet."""


def fit_all_and_folds(training: Training, model: str, runs: pd.DataFrame) -> Beforehand:
    """Fit what a choice among models, or one model of a name, fits on all runs and on folds.

    Parameters
    ----------
    training
        Runs whose capacity is fitted.
    model
        Name of a member of ``MODELS``, or ``auto``.
    runs
        All rows of the table, for the other kinds.
    """
    if not _worth_it(training):
        return Beforehand()
    some = drawn(training)
    seen = [partial(_seen, some, number) for number in range(_folds(some))]
    named = [one for one in REMEMBERED if model in (AUTO, one.name)]
    models: list[tuple[type[Capacity | GaussianProcess], Callable[[], Training]]]
    models = [(one, lambda: training) for one in named if model == one.name or one is MODELS[0]]
    models += [(one, of_fold) for one in named for of_fold in seen]
    asked = [kind for kind in KINDS if kind.fit is not None]
    # The longest first: no process waits for it at the end.
    works: list[Callable[[], Any]] = [
        partial(under_load, runs),
        *(partial(_or_none, kind.fit, lambda: runs) for kind in asked),
        *(partial(_or_none, one.fit, of_fold) for one, of_fold in models),
    ]
    found = shared(_done, works, workers())
    scores, of_kinds, of_models = found[0], found[1 : 1 + len(asked)], found[1 + len(asked) :]
    for (one, of_fold), fitted in zip(models, of_models, strict=True):
        if fitted is not None:
            remember(one, of_fold(), fitted)
    known = {kind.name: fitted for kind, fitted in zip(asked, of_kinds, strict=True)}
    return Beforehand(
        kinds=tuple(_at_once(kind, known.get(kind.name)) for kind in KINDS), under_load=scores
    )


def folds_among(training: Training | None) -> Each:
    """Share folds out between the CPUs, but those of few runs, which are sooner done here."""
    if training is None or not _worth_it(training):
        return one_by_one
    return partial(shared, among=workers())


def _worth_it(training: Training) -> bool:
    return len(training) >= RUNS_MIN and workers() > 1


def _at_once(kind: Kind, fitted: object) -> Kind:
    """Give what was fitted; one that refused the table, or has no runs in it, says so again."""
    return kind if fitted is None else replace(kind, fit=lambda _: fitted)


def _folds(training: Training) -> int:
    try:
        return fold_count(training, "group", FOLDS, np.random.default_rng(SEED))
    except BadInputError:  # one group only: whoever holds it out says so
        return 0


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
