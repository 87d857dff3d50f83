"""Errors of several models by what was held out, each beside what a perfect model would score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from linerate.errors import BadInputError
from linerate.models.operations.validation import MixValidation
from linerate.models.runs.limits import CapacityModel
from linerate.models.runs.training import Training
from linerate.models.validation.folds import Split
from linerate.models.validation.held_out import held_out_error
from linerate.models.validation.latency import ALL, LatencyValidation
from linerate.models.validation.spread import Spread
from linerate.models.validation.validation import Scores, noise_floor

FLOOR = "floor"
"""Instead of a model's name: a perfect model on medians of as many loads."""
RUNS = "runs"
"""Instead of a model's name: single runs from the others of their cell; a model may be nearer."""
LEVEL = "level"
"""Instead of a model's name: the median of the training runs as every prediction."""
MIXES = "mixes"
"""The costs of operations."""
LATENCY = "latency"
"""The queueing model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitError:
    """How far off one model was on one kind of runs that it had not seen."""

    of: str
    """What was predicted: ``rate``, ``operations``, or ``latency``."""
    by: str
    """What was held out: a split; of operations, which works; of latency, the statistic."""
    model: str
    """Its name, ``mixes``, ``latency``, ``level``, ``floor`` or ``runs``."""
    error: Spread


def of_scores(scores: Sequence[Scores]) -> Iterator[SplitError]:
    """Take the errors of validated models, split by split, and each split's floor behind them."""
    for split in dict.fromkeys(one.by for one in scores):
        own = [one for one in scores if one.by == split]
        for one in own:
            yield SplitError(of="rate", by=split, model=one.model, error=one.error)
        yield from _floor("rate", split, own[0].noise_floor)


def of_models(
    training: Training, splits: Sequence[Split], models: Sequence[type[CapacityModel]],
    known: Scores,
) -> Iterator[SplitError]:  # fmt: skip
    """Hold runs out of several models by several splits; a split that these runs lack is not there.

    Parameters
    ----------
    training
        Runs, as ``training_of`` gives them.
    splits
        What is held out.
    models
        Each is fitted on the runs that each fold leaves.
    known
        What one of them scored by one split already: it is not held out again.
    """

    def error_of(split: Split, model: type[CapacityModel]) -> Spread | None:
        if (model.name, split) == (known.model, known.by):
            return known.error
        return _error_or_none(model, training, split)

    floor = noise_floor(training)
    for split in splits:
        found = [
            SplitError(of="rate", by=split, model=model.name, error=error)
            for model in models if (error := error_of(split, model)) is not None
        ]  # fmt: skip
        yield from found
        yield from _floor("rate", split, floor) if found else ()


def _error_or_none(
    model: type[CapacityModel], training: Training, split: Split
) -> Spread | None:  # fmt: skip
    try:
        return held_out_error(model, training, by=split)
    except BadInputError:  # one value only, or too little is left to fit
        return None


def of_mixes(found: MixValidation) -> Iterator[SplitError]:
    """Take the errors of costs of operations, sort by sort, and the floor of all behind them."""
    for one in found.scores:
        if one.error is not None:
            yield SplitError(of="operations", by=one.sort, model=MIXES, error=one.error)
    yield from _floor("operations", "", found.noise_floor)


def of_latency(found: LatencyValidation) -> Iterator[SplitError]:
    """Take the errors of each statistic of latency, with those of a level and of single runs."""
    for one in found.scores:
        if one.name == ALL:
            yield SplitError(of="latency", by=one.quantity, model=LATENCY, error=one.error)
            yield SplitError(of="latency", by=one.quantity, model=LEVEL, error=one.level_error)
            yield from _floor("latency", one.quantity, one.noise_floor, RUNS)


def _floor(
    of: str, by: str, floor: Spread | None, name: str = FLOOR
) -> Iterator[SplitError]:  # fmt: skip
    if floor is not None:
        yield SplitError(of=of, by=by, model=name, error=floor)
