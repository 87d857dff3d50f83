"""From a table of runs to a whole model file: what ``fit``, reports and the demo call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import pandas as pd

from linerate.errors import BadInputError, bad_input
from linerate.messages import note
from linerate.models.catalogue import MODELS
from linerate.models.file.modelfile import ModelFile, model_file
from linerate.models.file.provenance import Provenance, provenance_of
from linerate.models.intervals.loan import Loan
from linerate.models.intervals.predictor import Predictor, fit_predictor
from linerate.models.kinds import KINDS, Kind
from linerate.models.one_thread import one_thread
from linerate.models.operations import MixRuns, mix_runs
from linerate.models.operations.validation import MixValidation, validate_mixes
from linerate.models.runs.drawn import drawn, notes_on
from linerate.models.runs.limits import CapacityModel, Fitter
from linerate.models.runs.selection import is_mixed
from linerate.models.runs.training import (
    Training,
    chosen_once,
    refuse_mixed_boxes,
    training_of,
)
from linerate.models.validation.choice import choose_model, model_named, validate_or_none
from linerate.models.validation.validation import FOLDS, Validation
from linerate.tables.runs import check_runs

SEED = 0
"""A fit of the same runs gives the same file, but for its date."""
AUTO = "auto"
"""Instead of a model's name: the best on program loads that it has not seen."""
STEPS = FOLDS + 2
"""Of a fit: the other kinds, the folds, and the capacity model with its intervals."""
Progress = Callable[[str, int, int], None]
"""Called with the part that is fitted next, the parts done, and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnable:
    """The runs of a table by what predicts their packets."""

    by_operations: MixRuns | None
    """Runs of mixes, filters, pipelines and chains; None without any."""
    by_accesses: Training | None
    """Runs whose packets ``memory_accesses`` tells apart; None without any."""
    notes: tuple[str, ...]
    """What was left out, one sentence each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitting:
    """A fitted model file, and what it was fitted on."""

    file: ModelFile
    """What is saved, and predicts."""
    learnable: Learnable
    validation: Validation | None
    """Of the capacity model by groups held out; None where the runs are too few."""
    notes: tuple[str, ...]
    """What was left out and what the runs could not tell, one sentence each."""

    @property
    def mix_validation(self) -> MixValidation | None:
        """Errors of operations, each group of works held out; None where there are none."""
        runs = self.learnable.by_operations
        return validate_mixes(runs) if runs is not None else None


def learnable(runs: pd.DataFrame) -> Learnable:
    """Part a table into what operations tell apart and what memory accesses do.

    Raises
    ------
    BadInputError
        There is nothing of either; the reason is that of the latter.
    """
    mixed, training = None, None
    notes: list[str] = []
    if {"datapath", "program"} <= set(runs.columns) and bool(is_mixed(runs).any()):
        try:
            mixed = mix_runs(runs)
        except BadInputError as error:
            notes.append(note("no runs of operations: {error}", error=error.note))
    try:
        training = training_of(runs)
    except BadInputError as error:
        if mixed is None:
            raise
        if not bool(is_mixed(runs).all()):
            notes.append(note("no runs of memory accesses: {error}", error=error.note))
    notes += training.notes if training else ()
    notes += [
        note("of operations: {what}", what=what) for what in (mixed.notes if mixed else ())
    ]  # fmt: skip
    return Learnable(by_operations=mixed, by_accesses=training, notes=tuple(notes))


def fit_models(
    runs: pd.DataFrame, *, model: str | Loan = AUTO, models: Sequence[type[CapacityModel]] = MODELS,
    kinds: tuple[Kind, ...] = KINDS, progress: Progress = lambda part, done, of: None,
) -> Fitting:  # fmt: skip
    """Fit all that a table tells: capacity with intervals, costs of operations, latency.

    Parameters
    ----------
    runs
        A table of runs, as ``read_runs`` gives it.
    model
        Name of a capacity model, or ``auto`` for the best on program loads not seen; what other
        boxes lend, for the model of physics with their constants as what is expected.
    models
        Capacity models to choose from, the simplest first.
    kinds
        What else is fitted.
    progress
        Called before each part and after each fold.

    Raises
    ------
    BadInputError
        No run can be fitted on, or no capacity model has this name.
    """
    if isinstance(model, str) and model != AUTO:
        model_named(model, models)
    # A kind chooses its own runs, often the same as others; and matrices here are narrow.
    with chosen_once(), one_thread():
        return _fitted(runs, model, models, kinds, progress)


def _fitted(
    runs: pd.DataFrame, model: str | Loan, models: Sequence[type[CapacityModel]],
    kinds: tuple[Kind, ...], progress: Progress,
) -> Fitting:  # fmt: skip
    found, refusal = _learnable(runs)
    if found.by_accesses is None and model != AUTO:
        name = model if isinstance(model, str) else "prior"
        raise refusal or bad_input("model", name, why=note("packets of this table differ by "
                                   "their operations only"), allowed=AUTO,
                                   do=note("leave it out"))  # fmt: skip
    parts, unfitted = _parts(runs, kinds, progress)
    if refusal is not None and not parts:
        raise refusal
    predictor, validation = None, None
    remarks: tuple[str, ...] = ()
    if found.by_accesses is not None:
        some = drawn(found.by_accesses)
        remarks = notes_on(found.by_accesses, some)
        chosen, validation = _chosen(model, some, models, progress)
        progress(f"{chosen.name} and its intervals", STEPS - 1, STEPS)
        predictor = fit_predictor(chosen, found.by_accesses, np.random.default_rng(SEED))
    scores = validation.scores if validation else None
    origin = _origin(runs, found, predictor, remarks)
    file = model_file(predictor, origin, fitted=parts, scores=scores, kinds=kinds)
    progress("fitted", STEPS, STEPS)
    notes = (*found.notes, *remarks, *unfitted, *(predictor.notes if predictor else ()),
             *_of_one_load(found.by_accesses))  # fmt: skip
    return Fitting(file=file, learnable=found, validation=validation, notes=notes)


def _of_one_load(training: Training | None) -> tuple[str, ...]:
    """Say where no cell was loaded twice: effects of loads cannot be seen then."""
    if training is None or np.unique(training.cell).size < len(training):
        return ()
    return (
        note("every cell has one load: what loads differ by is not told from errors of the law"),
    )


def _learnable(runs: pd.DataFrame) -> tuple[Learnable, BadInputError | None]:
    """Part a table; where nothing has a rate to learn from, other kinds may still be fitted."""
    try:
        return learnable(runs), None
    except BadInputError as error:
        refuse_mixed_boxes(check_runs(runs))
        return Learnable(by_operations=None, by_accesses=None, notes=(error.note,)), error


def _origin(
    runs: pd.DataFrame, found: Learnable, predictor: Predictor | None, remarks: tuple[str, ...]
) -> Provenance:
    if predictor is not None and found.by_accesses is not None:
        own = (*found.by_accesses.notes, *remarks, *predictor.notes)
        return provenance_of(runs, fitted_on=len(found.by_accesses), notes=own)
    mixed = found.by_operations
    return provenance_of(runs, fitted_on=len(mixed or runs), notes=mixed.notes if mixed else ())


def _parts(
    runs: pd.DataFrame, kinds: Sequence[Kind], progress: Progress
) -> tuple[dict[str, Any], list[str]]:
    """Fit every other kind; one that refuses the table is left out, and its reason returned."""
    fitted: dict[str, Any] = {}
    why: list[str] = []
    for kind in kinds:
        if kind.fit is None:
            continue
        progress(kind.name.replace("_", " "), 0, STEPS)
        try:
            part = kind.fit(runs)
        except BadInputError as error:
            # Why no runs of operations can be used is among the notes on the table.
            if kind.answers != "rate":
                name = kind.name.replace("_", " ")
                why.append(note("{kind} not fitted: {error}", kind=name, error=error.note))
            continue
        if part is not None:
            fitted[kind.name] = part
    return fitted, why


def _chosen(
    asked: str | Loan, training: Training, models: Sequence[type[CapacityModel]], progress: Progress
) -> tuple[Fitter, Validation | None]:
    folds = count(1)

    def fold() -> None:
        progress("checked on loads not seen", min(next(folds), FOLDS), STEPS)

    if asked == AUTO:
        return choose_model(training, models, SEED, fold)
    model: Fitter = model_named(asked, models) if isinstance(asked, str) else asked
    return model, validate_or_none(model, training, SEED, fold)
