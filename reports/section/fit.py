"""From tables to sections: each machine's runs fitted apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from linerate.errors import BadInputError
from linerate.models import (
    MODELS,
    Fitting,
    ModelFile,
    Training,
    fit_latency,
    fit_models,
    learnable,
)
from linerate.models.fitting import AUTO
from linerate.models.kinds import KINDS, Kind
from linerate.models.one_thread import one_thread
from linerate.models.runs.training import chosen_once
from linerate.models.validation.choice import model_named
from linerate.reports.section.beforehand import Beside, fit_all_and_folds, fit_beside
from linerate.reports.section.by_split import errors_of_capacity
from linerate.reports.section.rows import without_curves
from linerate.reports.section.scores import of_chains, of_operations, under_load
from linerate.reports.section.section import Section
from linerate.reports.section.shared import shared, workers
from linerate.reports.section.source import Source, box_of, boxes_apart, searches_of


def sections_of(
    sources: Sequence[Source], model: str = AUTO, *, splits: bool = True
) -> list[Section]:  # fmt: skip
    """Fit each machine's runs apart.

    Parameters
    ----------
    sources
        Tables as ``read_source`` gives them.
    model
        Name of a member of ``MODELS``, or ``auto`` for the best by grouped validation.
    splits
        Whether errors by what was held out will be asked for.
    """
    if model != AUTO:
        model_named(model, MODELS)
    notes = tuple(note for source in sources for note in source.notes)
    found = []
    for runs in boxes_apart(sources):
        one = fit_section(runs, model, searches=searches_of(runs, sources), splits=splits)
        found.append(replace(one, box=box_of(runs, sources), notes=(*notes, *one.notes)))
    return found


@chosen_once()
@one_thread()
def fit_section(
    runs: pd.DataFrame, model: str = AUTO, *, searches: pd.DataFrame | None = None,
    splits: bool = True,
) -> Section:  # fmt: skip
    """Fit and validate the runs of one machine; what cannot be done is noted, not raised."""
    found = without_curves(runs)
    training, why = _training(found) if len(found) else (None, ())
    known = Beside()
    if training is None:
        fitting, own = _fit(found, AUTO, KINDS, ()) if len(found) else (None, why)
    else:
        kinds = fit_all_and_folds(training, model, found)
        (fitting, own), known = fit_beside(
            partial(_fit, found, model, kinds, training.notes), training, model, found,
            splits=splits,
        )  # fmt: skip
    latency_scores, cpu_scores = (
        known.under_load or under_load(found) if fitting and fitting.file.latency else (None, None)
    )
    section = Section(
        runs=runs, training=training, box=None, notes=own, searches=searches,
        mix_scores=of_operations(found), chain_scores=of_chains(found),
        latency_scores=latency_scores, cpu_scores=cpu_scores,
        file=fitting.file if fitting else None,
        validation=fitting.validation if fitting else None,
        latency=fitting.file.latency if fitting else fit_latency(found),
    )  # fmt: skip
    if known.by_split is None:
        return section
    errors = errors_of_capacity(section, partial(shared, among=workers()), known.by_split)
    return replace(section, split_errors=tuple(errors))


def _fit(
    runs: pd.DataFrame, model: str, kinds: tuple[Kind, ...], notes: tuple[str, ...]
) -> tuple[Fitting | None, tuple[str, ...]]:
    """Fit what a table tells, with what was left out; where nothing can be fitted, and why."""
    try:
        fitting = fit_models(runs, model=model, kinds=kinds)
    except BadInputError as error:
        return None, (*notes, error.note)
    return fitting, fitting.notes


def fitted_section(
    runs: pd.DataFrame, file: ModelFile, *, searches: pd.DataFrame | None = None
) -> Section:
    """Put runs beside a model that was fitted before; nothing is fitted and nothing held out."""
    training, notes = _training(without_curves(runs))
    return Section(runs=runs, training=training, file=file, validation=None, latency=file.latency,
                   box=None, notes=notes, searches=searches)  # fmt: skip


def _training(runs: pd.DataFrame) -> tuple[Training | None, tuple[str, ...]]:
    """Take what capacity can be fitted on; and why, where nothing can."""
    try:
        return learnable(runs).by_accesses, ()
    except BadInputError as error:
        return None, (error.note,)
