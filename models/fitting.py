"""From a table of runs to a whole model file: what ``fit``, reports and the demo call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
import pandas as pd

from linerate.errors import BadInputError, bad_input
from linerate.models.catalogue import MODELS
from linerate.models.file.modelfile import ModelFile, model_file, provenance_of
from linerate.models.intervals.predictor import fit_predictor
from linerate.models.latency import fit_latency, fit_overload
from linerate.models.operations import MixRuns, fit_mixes, mix_runs
from linerate.models.runs.limits import CapacityModel
from linerate.models.runs.selection import is_mixed
from linerate.models.runs.training import Training, training_of
from linerate.models.validation.choice import choose_model, model_named, validate_or_none
from linerate.models.validation.validation import FOLDS, Validation

SEED = 0
"""A fit of the same runs gives the same file, but for its date."""
AUTO = "auto"
"""Instead of a model's name: the best on program loads that it has not seen."""
STEPS = FOLDS + 4
"""Of a fit: the costs of operations, the folds, the model, latency below saturation, and above."""
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


def learnable(runs: pd.DataFrame) -> Learnable:
    """Part a table into what operations tell apart and what memory accesses do.

    Raises
    ------
    BadInputError
        There is nothing of either; the reason is that of the latter.
    """
    mixed, training, notes = None, None, []
    if {"datapath", "program"} <= set(runs.columns) and bool(is_mixed(runs).any()):
        try:
            mixed = mix_runs(runs)
        except BadInputError as error:
            notes.append(f"per-operation costs not fitted: {error}")
    try:
        training = training_of(runs)
    except BadInputError:
        if mixed is None:
            raise
    notes += training.notes if training else ()
    notes += [f"of operations: {note}" for note in mixed.notes] if mixed else []
    return Learnable(by_operations=mixed, by_accesses=training, notes=tuple(notes))


def fit_models(
    runs: pd.DataFrame, *, model: str = AUTO, models: Sequence[type[CapacityModel]] = MODELS,
    progress: Progress = lambda part, done, of: None,
) -> Fitting:  # fmt: skip
    """Fit all that a table tells: capacity with intervals, costs of operations, latency.

    Parameters
    ----------
    runs
        A table of runs, as ``read_runs`` gives it.
    model
        Name of a capacity model, or ``auto`` for the best on program loads not seen.
    models
        Capacity models to choose from, the simplest first.
    progress
        Called before each part and after each fold.

    Raises
    ------
    BadInputError
        No run can be fitted on, or no capacity model has this name.
    """
    if model != AUTO:
        model_named(model, models)
    found = learnable(runs)
    if found.by_accesses is None and model != AUTO:
        raise bad_input("model", model, why="packets of this table are told apart by their "
                        "operations alone", allowed=AUTO, do="leave it out")  # fmt: skip
    progress("costs of operations", 0, STEPS)
    mixes = fit_mixes(found.by_operations) if found.by_operations else None
    validation, notes = None, found.notes
    if found.by_accesses is None:
        own = found.by_operations
        origin = provenance_of(runs, fitted_on=len(own or ()), notes=own.notes if own else ())
        file = ModelFile(mixes=mixes, provenance=origin)
    else:
        chosen, validation = _chosen(model, found.by_accesses, models, progress)
        file = _by_accesses(runs, chosen, found.by_accesses, progress)
        scores = validation.scores if validation else None
        file, notes = replace(file, mixes=mixes, scores=scores), (*notes, *file.predictor.notes)
    progress("fitted", STEPS, STEPS)
    return Fitting(file=file, learnable=found, validation=validation, notes=notes)


def _chosen(
    name: str, training: Training, models: Sequence[type[CapacityModel]], progress: Progress
) -> tuple[type[CapacityModel], Validation | None]:
    folds = count(1)

    def fold() -> None:
        progress("checked on loads not seen", min(next(folds), FOLDS), STEPS)

    if name == AUTO:
        return choose_model(training, models, SEED, fold)
    model = model_named(name, models)
    return model, validate_or_none(model, training, SEED, fold)


def _by_accesses(
    runs: pd.DataFrame, model: type[CapacityModel], training: Training, progress: Progress
) -> ModelFile:
    progress(f"{model.name} and its intervals", FOLDS + 1, STEPS)
    predictor = fit_predictor(model, training, np.random.default_rng(SEED))
    progress("latency below saturation", FOLDS + 2, STEPS)
    latency = fit_latency(runs)
    progress("latency in overload", FOLDS + 3, STEPS)
    overload = fit_overload(runs)
    notes = (*training.notes, *predictor.notes)
    origin = provenance_of(runs, fitted_on=len(training), notes=notes)
    return model_file(predictor, origin, latency=latency, overload=overload)
