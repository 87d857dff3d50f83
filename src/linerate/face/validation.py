"""Errors of models on runs that they have not seen, as Python hands them on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from linerate.errors import BadInputError, bad_input
from linerate.models.catalogue import MODEL_NAMES, MODELS
from linerate.models.fitting import SEED, Learnable, learnable
from linerate.models.operations.validation import MixScores, MixValidation, validate_mixes
from linerate.models.runs.limits import CapacityModel
from linerate.models.runs.training import Training
from linerate.models.validation.choice import model_named
from linerate.models.validation.cpu import CpuScore, validate_cpu
from linerate.models.validation.folds import SPLITS, Split, fold_count
from linerate.models.validation.latency import LatencyValidation, validate_latency
from linerate.models.validation.validation import FOLDS, Scores, by_value
from linerate.models.validation.validation import Validation as Validated
from linerate.models.validation.validation import validate as validate_model
from linerate.progress import Tell, telling
from linerate.tables.html import html_text
from linerate.tables.measured import Runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ALL = "all"
"""Every split in turn."""
Of = Literal["rate", "cpu", "latency"]
ONE_SPLIT = ("cpu", "latency")
"""What is validated by one split at a time."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Validation:
    """How far off predictions were of what was held out, beside the noise of single runs."""

    by: str
    """What was held out: one of ``SPLITS``, or ``all``."""
    of: str
    """What was predicted: ``rate``, ``cpu`` (busy shares) or ``latency``."""
    splits: Mapping[Split, tuple[Validated, ...]] = field(default_factory=dict)
    """Of rates by memory accesses: each model's validation, by split."""
    operations: MixValidation | None = None
    """Of rates by operations; None where there are none, or another split was asked for."""
    cpu: tuple[CpuScore, ...] = ()
    latency: LatencyValidation | None = None
    training: Training | None = None
    """Runs that capacity was fitted on."""
    notes: tuple[str, ...] = ()
    """What was left out or could not be held out, one sentence each."""

    @property
    def table(self) -> pd.DataFrame:
        """Scores, one row for each model and split, path of CPU shares, or quantity and path."""
        if self.of == "cpu":
            return pd.DataFrame([asdict(score) for score in self.cpu])
        if self.latency is not None:
            return pd.json_normalize([score.to_dict() for score in self.latency.scores])
        rows: list[dict[str, object]] = [
            item.scores.to_dict() for items in self.splits.values() for item in items
        ]
        if self.operations is not None:
            rows += [asdict(scores) for scores in self.operations.scores]
        return pd.json_normalize(rows)

    def values(self, split: Split) -> list[tuple[str, float, Scores]]:
        """Score each held-out value of a factor by itself: its ends are extrapolated.

        Returns
        -------
        Model, value and scores; empty of a split that holds out no values.
        """
        if self.training is None:
            return []
        return [
            (item.scores.model, value, scores) for item in self.splits.get(split, ())
            for value, scores in by_value(item, self.training).items()
        ]  # fmt: skip

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        if self.of == "cpu":
            return {"by": self.by, "cpu": [asdict(score) for score in self.cpu]}
        if self.latency is not None:
            scores = [score.to_dict() for score in self.latency.scores]
            return {"by": self.by, "latency": scores}
        mixes: dict[str, object] = {}
        if self.operations is not None:
            mixes = {"mixes": self.operations.to_dict()}
        answers: list[dict[str, object]] = [
            {"by": split, "models": [self._answer(split, item) for item in items]}
            for split, items in self.splits.items()
        ]
        if not answers:
            return {"by": self.by, "models": [], **mixes}
        return {"splits": answers, **mixes} if self.by == ALL else answers[0] | mixes

    def _answer(self, split: Split, item: Validated) -> dict[str, object]:
        model = item.scores.model
        values = [
            {"value": value, **scores.to_dict()}
            for name, value, scores in self.values(split) if name == model
        ]  # fmt: skip
        return {**item.scores.to_dict(), "values": values}

    def plot(self, *, ax: Axes | None = None) -> Axes | np.ndarray:
        """Draw predicted over measured rates, and how the errors of all models spread."""
        from linerate.plot import errors  # Matplotlib is slow to load

        return errors(self, ax=ax)

    def lines(self) -> list[str]:
        """Say it in words, one line for each row of the table."""
        lines = [_of_rate(one.scores) for many in self.splits.values() for one in many]
        if self.operations is not None:
            lines += [_of_question(one) for one in self.operations.scores]
        lines += [f"{one.name}: CPU share {one.points:.1f} points off over {one.runs} runs"
                 for one in self.cpu]  # fmt: skip
        if self.latency is not None:
            lines += [f"{one.name}, {one.quantity}, held out by {one.held_out}: {one.error} % off "
                     f"over {one.runs} runs" for one in self.latency.scores]  # fmt: skip
        return lines

    def __str__(self) -> str:
        return "\n".join(["Errors: median / mean / P90.", *self.lines()])

    def _repr_html_(self) -> str:
        return html_text(str(self))


def _of_rate(scores: Scores) -> str:
    return (
        f"{scores.model}, {scores.cells} cells held out by {scores.by}: {scores.error} % off; "
        f"noise floor of single runs {scores.noise_floor or '-'} %; "
        f"{scores.verdict_accuracy:.1%} of verdicts right; "
        f"{scores.coverage:.1%} inside the 90 % interval, "
        f"half-width {scores.half_width_percent:.1f} %"
    )


def _of_question(scores: MixScores) -> str:
    return (
        f"operations, {scores.sort} held out: {scores.answered} of {scores.cells} cells inside the "
        f"measured range, {scores.error or '-'} % off"
    )


def validate(
    runs: Runs | pd.DataFrame, *, by: str = "group", of: str = "rate",
    models: Sequence[str] | None = None, progress: bool = True,
) -> Validation:  # fmt: skip
    """Hold runs out, fit on the others, and compare.

    Parameters
    ----------
    runs
        What ``read`` gives, or a table of runs.
    by
        What is held out: ``group`` (whole groups of datapath, program, queues and accesses),
        ``sparse`` (all but a random tenth), ``random``, a factor by each of its values, or ``all``
        of these in turn.
    of
        What is predicted: ``rate``, ``cpu`` (busy shares) or ``latency``.
    models
        Names of capacity models; all if left out.
    progress
        Whether to show a bar.

    Raises
    ------
    BadInputError
        No such split, model or quantity, or runs too few to hold any out.
    """
    check_question(by, of)
    chosen = [model_named(name, MODELS) for name in models or MODEL_NAMES]
    table = Runs.of(runs).table
    if of == "latency":
        found = validate_latency(table, by=SPLIT_OF[by], rng=np.random.default_rng(SEED))
        return Validation(by=by, of=of, latency=found)
    known = learnable(table)
    if of == "cpu":
        return _of_cpu(known, by)
    asked = by in ("group", ALL) and not models
    mixed = known.by_operations
    mixes = validate_mixes(mixed) if asked and mixed is not None else None
    if known.by_accesses is None:
        return _of_operations(known, by, mixes)
    with telling(shown=progress) as tell:
        splits, more = _splits(known.by_accesses, by, chosen, tell)
    return Validation(by=by, of=of, splits=splits, operations=mixes, training=known.by_accesses,
                      notes=(*known.notes, *more))  # fmt: skip


SPLIT_OF: dict[str, Split] = {name: name for name in SPLITS}


def check_question(by: str, of: str) -> None:
    """Refuse what cannot be validated before anything is read.

    Raises
    ------
    BadInputError
        No such split or quantity, or not this quantity by this split.
    """
    if by not in (*SPLITS, ALL):
        raise bad_input("by", by, why="no such split", allowed=", ".join((*SPLITS, ALL)),
                        do="use one of these names")  # fmt: skip
    if of not in ("rate", *ONE_SPLIT):
        raise bad_input("of", of, why="no such quantity", allowed="rate, cpu, latency",
                        do="use one of these names")  # fmt: skip
    if of in ONE_SPLIT and by == ALL:
        raise bad_input("of", of, why="not supported together with by=all",
                        allowed=", ".join(SPLITS), do="name one split")  # fmt: skip


def _of_cpu(known: Learnable, by: str) -> Validation:
    if known.by_accesses is None:
        raise _only_by_operations(by)
    scores = validate_cpu(known.by_accesses, by=SPLIT_OF[by], rng=np.random.default_rng(SEED))
    return Validation(by=by, of="cpu", cpu=tuple(scores), training=known.by_accesses,
                      notes=known.notes)  # fmt: skip


def _of_operations(known: Learnable, by: str, mixes: MixValidation | None) -> Validation:
    if mixes is None:
        raise _only_by_operations(by)
    return Validation(by=by, of="rate", operations=mixes, notes=known.notes)


def _only_by_operations(by: str) -> BadInputError:
    return bad_input(
        "by", by, why="packets of this table differ by their operations alone; these are held out "
        "by group, of rate, with every model", allowed="by=group or all",
        do="leave the other options out",
    )  # fmt: skip


def _splits(
    training: Training, by: str, models: Sequence[type[CapacityModel]], tell: Tell
) -> tuple[dict[Split, tuple[Validated, ...]], tuple[str, ...]]:
    """Validate by the split that is asked for; of all, by those that the runs allow."""
    found: dict[Split, tuple[Validated, ...]] = {}
    notes: list[str] = []
    for split in SPLITS:
        if by not in (split, ALL):
            continue
        try:
            found[split] = _by_split(training, split, models, tell)
        except BadInputError as error:
            if by == split:
                raise
            notes.append(f"not held out by {split}: {error}")
    if not found:
        raise bad_input("runs", len(training), why="too few to hold any out",
                        allowed="several loads of each program", do="measure more")  # fmt: skip
    return found, tuple(notes)


def _by_split(
    training: Training, by: Split, models: Sequence[type[CapacityModel]], tell: Tell
) -> tuple[Validated, ...]:
    """Validate models on the same folds, each by name in the bar."""
    total = len(models) * fold_count(training, by, FOLDS, np.random.default_rng(SEED))
    done, found = 0, []
    for model in models:
        tell(f"{model.name} by {by}", done, total)

        def fold(name: str = model.name) -> None:
            nonlocal done
            done += 1
            tell(f"{name} by {by}", done, total)

        found.append(validate_model(model, training, by=by, rng=np.random.default_rng(SEED),
                                    progress=fold))  # fmt: skip
    return tuple(found)
