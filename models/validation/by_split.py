"""Errors of several models by what was held out, each beside what a perfect model would score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import numpy as np

from linerate.errors import BadInputError
from linerate.models.operations.validation import MixValidation
from linerate.models.runs.cells import Array
from linerate.models.runs.limits import CapacityModel
from linerate.models.runs.training import Training
from linerate.models.validation.folds import Split, fold_count
from linerate.models.validation.held_out import SEED, fold_errors
from linerate.models.validation.latency import ALL, LatencyValidation
from linerate.models.validation.spread import Spread, spread
from linerate.models.validation.validation import FOLDS, Scores, noise_floor

Part = TypeVar("Part")
Result = TypeVar("Result")
Fold = tuple[Split, int]
"""What is held out, and the number of the fold, from 0."""
FoldErrors = Mapping[Fold, Mapping[str, Array]]
"""Relative errors on the cells of folds, by the names of models."""

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


class Each(Protocol):
    """Does parts of a work one by one, or shares them out."""

    def __call__(
        self, work: Callable[[Part], Result], parts: Sequence[Part]
    ) -> Iterable[Result]:  # fmt: skip
        """Give what the work gives of each part, in their order."""
        ...


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What runs held out said already."""

    scores: Scores
    """Of one model by one split."""
    folds: FoldErrors = field(default_factory=dict)
    """What ``fold_errors`` gave for some folds and models."""


def of_scores(scores: Sequence[Scores]) -> Iterator[SplitError]:
    """Take the errors of validated models, split by split, and each split's floor behind them."""
    for split in dict.fromkeys(one.by for one in scores):
        own = [one for one in scores if one.by == split]
        for one in own:
            yield SplitError(of="rate", by=split, model=one.model, error=one.error)
        yield from _floor("rate", split, own[0].noise_floor)


def one_by_one(work: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
    """Do each part in turn."""
    return [work(part) for part in parts]


def of_models(
    training: Training, splits: Sequence[Split], models: Sequence[type[CapacityModel]],
    known: Known, each: Each = one_by_one,
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
        What is not held out again.
    each
        Does each fold, wherever it likes.
    """
    done = (known.scores.model, known.scores.by)
    asked = {split: [one for one in models if (one.name, split) != done] for split in splits}
    folds = [fold for split in splits for fold in folds_of(training, split)]
    lacking = {fold: [one for one in asked[fold[0]] if one.name not in known.folds.get(fold, {})]
               for fold in folds}  # fmt: skip
    left = [fold for fold in folds if lacking[fold]]
    found = each(lambda fold: fold_errors(lacking[fold], training, *fold), left)
    new = dict(zip(left, found, strict=True))
    errors = [(fold[0], {**known.folds.get(fold, {}), **new.get(fold, {})}) for fold in folds]
    floor = noise_floor(training)
    for split in dict.fromkeys(split for split, _ in folds):
        of_split = [one for name, one in errors if name == split]
        rows = [
            SplitError(of="rate", by=split, model=model.name, error=error) for model in models
            if (error := _joined(model, of_split) if model in asked[split] else known.scores.error)
        ]  # fmt: skip
        yield from rows
        yield from _floor("rate", split, floor) if rows else ()


def folds_of(training: Training, split: Split) -> list[Fold]:
    """Name the folds of a split; none where these runs have one value only."""
    try:
        count = fold_count(training, split, FOLDS, np.random.default_rng(SEED))
    except BadInputError:
        return []
    return [(split, number) for number in range(count)]


def _joined(
    model: type[CapacityModel], folds: Sequence[Mapping[str, Array]]
) -> Spread | None:  # fmt: skip
    """Put a model's errors of all folds together; None where one left it too little to fit."""
    found = [fold[model.name] for fold in folds if model.name in fold]
    return spread(np.concatenate(found)) if len(found) == len(folds) else None


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
