"""A model's card: what it says, how it is known, how far it is off, and where it fails."""

from __future__ import annotations

from dataclasses import dataclass

from linerate.models.file.failures import failures_of_operations, known_failures
from linerate.models.file.modelfile import ModelFile
from linerate.models.file.provenance import Provenance
from linerate.models.intervals.domain import PairDomain
from linerate.models.operations.predictor import MixPredictor
from linerate.models.operations.validation import MixValidation
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
    operations: OperationsCard | None = None
    """What it knows of operations, filters, pipelines and chains; None where that is nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationsCard:
    """Where costs of operations were fitted, and how far off they are."""

    paths: tuple[str, ...]
    """Base paths, as ``swx/forward``."""
    most: tuple[tuple[str, str, int], ...]
    """Where, class of operations, and most of them that a packet was measured with."""
    validation: MixValidation | None
    """Of works held out; None of a model that was loaded."""


def card_of(
    fitted: ModelFile, validation: Validation | None, mixes: MixValidation | None = None
) -> ModelCard:
    """Write the card of a fitted model.

    Parameters
    ----------
    fitted
        The model and its origin.
    validation
        Of the same kind of model on the same runs, whole groups held out; None where they are
        too few.
    mixes
        Of operations, each group of works held out; None where there are none.
    """
    operations = fitted.mixes
    beside = _operations(operations, mixes) if operations is not None else None
    known = operations.model if operations is not None else None
    more = failures_of_operations(fitted.provenance.labs, mixes) if known is not None else ()
    if not fitted.by_accesses and known is not None:
        return ModelCard(
            model="mixes", formula=tuple(str(known).splitlines()), parameters=known.parameters,
            domain=(), residuals=(), scores=None, provenance=fitted.provenance,
            failures=more, operations=beside,
        )  # fmt: skip
    model = fitted.predictor.model
    return ModelCard(
        model=model.name,
        formula=(*str(model).splitlines(), *(str(known).splitlines() if known else ())),
        parameters=(*model.parameters, *(known.parameters if known else ())),
        domain=fitted.domain.pairs,
        residuals=() if validation is None else residuals_by_path(validation),
        scores=fitted.scores, provenance=fitted.provenance,
        failures=tuple(dict.fromkeys((*known_failures(
            model.name, fitted.provenance.labs, validation, fitted.conformal.widenings
        ), *more))),
        operations=beside,
    )  # fmt: skip


def _operations(mixes: MixPredictor, validation: MixValidation | None) -> OperationsCard:
    return OperationsCard(
        paths=tuple(sorted({f"{work.scope}/{work.base}" for work in mixes.works})),
        most=tuple((*where, most) for where, most in sorted(mixes.model.most.items())),
        validation=validation,
    )  # fmt: skip
