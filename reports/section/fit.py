"""From tables to sections: each machine's runs fitted apart."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from linerate.box import Box
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
from linerate.models.runs.training import chosen_once
from linerate.models.validation.choice import model_named
from linerate.reports.section.beforehand import Beforehand, fit_all_and_folds
from linerate.reports.section.rows import without_curves
from linerate.reports.section.scores import of_chains, of_operations, under_load
from linerate.reports.section.section import Section
from linerate.reports.section.source import Source, box_of, boxes_apart, searches_of


def sections_of(sources: Sequence[Source], model: str = AUTO) -> list[Section]:
    """Fit each machine's runs apart.

    Parameters
    ----------
    sources
        Tables as ``read_source`` gives them.
    model
        Name of a member of ``MODELS``, or ``auto`` for the best by grouped validation.
    """
    if model != AUTO:
        model_named(model, MODELS)
    notes = tuple(note for source in sources for note in source.notes)
    return [
        fit_section(runs, model, box=box_of(runs, sources), notes=notes,
                    searches=searches_of(runs, sources))
        for runs in boxes_apart(sources)
    ]  # fmt: skip


@chosen_once()
def fit_section(
    runs: pd.DataFrame, model: str = AUTO, *, box: Box | None = None,
    notes: tuple[str, ...] = (), searches: pd.DataFrame | None = None,
) -> Section:  # fmt: skip
    """Fit and validate the runs of one machine; what cannot be done is noted, not raised."""
    found = without_curves(runs)
    training, own = _training(found) if len(found) else (None, ())
    fitting: Fitting | None = None
    before = Beforehand() if training is None else fit_all_and_folds(training, model, found)
    try:
        if len(found):
            fitting = fit_models(found, model=model if training is not None else AUTO,
                                 kinds=before.kinds)  # fmt: skip
            own = fitting.notes
    except BadInputError as error:
        own = (*(training.notes if training is not None else ()), error.note)
    latency_scores, cpu_scores = (
        before.under_load or under_load(found) if fitting and fitting.file.latency else (None, None)
    )
    return Section(
        runs=runs, training=training, box=box, notes=(*notes, *own), searches=searches,
        mix_scores=of_operations(found), chain_scores=of_chains(found),
        latency_scores=latency_scores, cpu_scores=cpu_scores,
        file=fitting.file if fitting else None,
        validation=fitting.validation if fitting else None,
        latency=fitting.file.latency if fitting else fit_latency(found),
    )  # fmt: skip


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
