"""A model's card: what it says, how it is known, how far it is off, and where it fails."""

from __future__ import annotations

from dataclasses import dataclass

from linerate.models.file.failures import known_failures
from linerate.models.file.modelfile import ModelFile
from linerate.models.file.provenance import Provenance
from linerate.models.intervals.domain import PairDomain
from linerate.models.runs.parameters import Parameter
from linerate.models.validation.residuals import PathResiduals, residuals_by_path
from linerate.models.validation.validation import Scores, Validation


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """What goes with a fitted model: formula, constants, domain, errors, origin, known failures."""

    model: str
    formula: tuple[str, ...]
    """One line a path."""
    parameters: tuple[Parameter, ...]
    domain: tuple[PairDomain, ...]
    residuals: tuple[PathResiduals, ...]
    """Empty where the runs are too few to hold any out."""
    scores: Scores | None
    provenance: Provenance
    failures: tuple[str, ...]
    """Where it is known to fail, one sentence each."""


def card_of(fitted: ModelFile, validation: Validation | None) -> ModelCard:
    """Write the card of a fitted model.

    Parameters
    ----------
    fitted
        The model and its origin.
    validation
        Of the same kind of model on the same runs, whole groups held out; None where they are
        too few.
    """
    model = fitted.predictor.model
    return ModelCard(
        model=model.name, formula=tuple(str(model).splitlines()), parameters=model.parameters,
        domain=fitted.domain.pairs,
        residuals=() if validation is None else residuals_by_path(validation),
        scores=fitted.scores, provenance=fitted.provenance,
        failures=known_failures(
            model.name, fitted.provenance.labs, validation, fitted.conformal.widenings
        ),
    )  # fmt: skip
