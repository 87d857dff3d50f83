"""Errors of what was fitted, and of what it is put beside, by what was held out."""

from __future__ import annotations

from collections.abc import Iterator

from linerate.models import MODELS, CapacityModel
from linerate.models.runs.drawn import drawn
from linerate.models.validation.by_split import (
    Each,
    FoldErrors,
    Known,
    SplitError,
    of_models,
    one_by_one,
)
from linerate.models.validation.choice import model_named
from linerate.models.validation.folds import Split
from linerate.reports.section.section import Section

FIGURE = "models-by-split"
"""That shows them."""
SPLITS: tuple[Split, ...] = ("group", "frame_bytes", "memory_accesses", "queues")
COMPARED = ("gp", "log_wls")
"""Models that the fitted one is put beside: one that learns, and a regression."""


def beside(fitted: type[CapacityModel]) -> tuple[type[CapacityModel], ...]:
    """Name a model, and those that it is put beside."""
    return (fitted, *(model_named(name, MODELS) for name in COMPARED if name != fitted.name))


def errors_of_capacity(
    section: Section, each: Each = one_by_one, ahead: FoldErrors | None = None
) -> Iterator[SplitError]:  # fmt: skip
    """Hold out what was fitted and what it is compared with, each as validation does.

    Parameters
    ----------
    section
        What was fitted; nothing is held out where its validation held nothing out.
    each
        Does each fold, wherever it likes.
    ahead
        Errors of some folds and models that are known already.
    """
    training, predictor, validation = section.training, section.predictor, section.validation
    if training is None or predictor is None or validation is None:
        return
    models, known = (
        beside(type(predictor.model)),
        Known(scores=validation.scores, folds=ahead or {}),
    )
    yield from of_models(drawn(training), SPLITS, models, known, each)
