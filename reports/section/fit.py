"""From tables to sections: each machine's runs fitted apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from linerate.box import Box
from linerate.errors import BadInputError
from linerate.models import (
    MODELS,
    Predictor,
    Training,
    Validation,
    fit_latency,
    fit_predictor,
    training_of,
)
from linerate.models.choice import choose_model, model_named, validate_or_none
from linerate.models.fitting import SEED
from linerate.reports.section.rows import rows_of
from linerate.reports.section.section import Section
from linerate.reports.section.source import Source, box_of, boxes_apart, searches_of


def sections_of(sources: Sequence[Source], model: str = "auto") -> list[Section]:
    """Fit each machine's runs apart.

    Parameters
    ----------
    sources
        Tables as ``read_source`` gives them.
    model
        Name of a member of ``MODELS``, or ``auto`` for the best by grouped validation.
    """
    if model != "auto":
        model_named(model, MODELS)
    notes = tuple(note for source in sources for note in source.notes)
    return [
        fit_section(runs, model, box=box_of(runs, sources), notes=notes,
                    searches=searches_of(runs, sources))
        for runs in boxes_apart(sources)
    ]  # fmt: skip


def fit_section(
    runs: pd.DataFrame, model: str = "auto", *, box: Box | None = None,
    notes: tuple[str, ...] = (), searches: pd.DataFrame | None = None,
) -> Section:  # fmt: skip
    """Fit and validate the runs of one machine; what cannot be done is noted, not raised."""
    capacity = rows_of(runs, "capacity")
    latency = fit_latency(capacity)
    training, predictor, validation = None, None, None
    try:
        training = training_of(capacity) if len(capacity) else None
        if training is not None:
            notes += training.notes
            predictor, validation = _fitted(training, model)
            notes += predictor.model.notes
    except BadInputError as error:
        notes += (str(error),)
    return Section(runs=runs, training=training, predictor=predictor, validation=validation,
                   latency=latency, box=box, notes=notes, searches=searches)  # fmt: skip


def _fitted(training: Training, model: str) -> tuple[Predictor, Validation | None]:
    if model == "auto":
        chosen, validation = choose_model(training, MODELS, SEED)
    else:
        chosen = model_named(model, MODELS)
        validation = validate_or_none(chosen, training, SEED)
    return fit_predictor(chosen, training, np.random.default_rng(SEED)), validation
