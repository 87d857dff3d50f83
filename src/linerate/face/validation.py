"""Errors of models on runs that they have not seen, as Python hands them on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.errors import BadInputError, bad_input
from linerate.models.catalogue import MODEL_NAMES, MODELS
from linerate.models.fitting import SEED, learnable
from linerate.models.kinds import KINDS, Scored
from linerate.models.one_thread import one_thread
from linerate.models.operations.validation import MixValidation
from linerate.models.runs.limits import CapacityModel
from linerate.models.runs.training import Training
from linerate.models.validation.boxes import validate_boxes
from linerate.models.validation.choice import model_named
from linerate.models.validation.cpu import CpuScore, CpuValidation
from linerate.models.validation.each import validate_all
from linerate.models.validation.folds import SPLITS, Split
from linerate.models.validation.kinds import no_latency, validate_kinds
from linerate.models.validation.latency import LatencyValidation
from linerate.models.validation.seen_loads import SeenLoads, validate_seen
from linerate.models.validation.validation import Scores, by_value
from linerate.models.validation.validation import Validation as Validated
from linerate.progress import Tell, telling
from linerate.tables.html import html_text
from linerate.tables.measured import Runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ALL = "all"
"""Every split in turn."""
SIZES: Split = "frame_bytes"
"""Of which loads that were measured at several sizes tell more."""
BOX: Split = "box"
"""Each box of a table of several, by the others alone."""
QUANTITIES = tuple(dict.fromkeys(kind.of for kind in KINDS if kind.validate is not None))
"""What is predicted, and held out: rates by every split in turn too, the others by one."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Validation:
    """How far off predictions were of what was held out, beside the noise of single runs."""

    by: str
    """What was held out: one of ``SPLITS``, or ``all``."""
    of: str
    """What was predicted: ``rate``, ``cpu`` (busy shares) or ``latency``."""
    splits: Mapping[Split, tuple[Validated, ...]] = field(default_factory=dict)
    """Of rates by memory accesses: each model's validation, by split."""
    kinds: tuple[Scored, ...] = ()
    """Of the kinds of model beside capacity that predict it."""
    training: Training | None = None
    """Runs that capacity was fitted on."""
    seen: SeenLoads | None = None
    """Of frame sizes of loads that were measured at others; None where no load was, or another
    split was asked for."""
    notes: tuple[str, ...] = ()
    """What was left out or could not be held out, one sentence each."""

    @property
    def operations(self) -> MixValidation | None:
        """Of rates by operations; None where there are none, or another split was asked for."""
        return next((one for one in self.kinds if isinstance(one, MixValidation)), None)

    @property
    def cpu(self) -> tuple[CpuScore, ...]:
        """Of CPU shares; empty where these were not asked for."""
        return next((one.scores for one in self.kinds if isinstance(one, CpuValidation)), ())

    @property
    def latency(self) -> LatencyValidation | None:
        """None where latency was not asked for."""
        return next((one for one in self.kinds if isinstance(one, LatencyValidation)), None)

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
        more = {name: value for one in self.kinds for name, value in one.to_dict().items()}
        more |= {"seen_loads": self.seen.to_dict()} if self.seen else {}
        if self.of != "rate":
            return {"by": self.by, **more}
        answers: list[dict[str, object]] = [
            {"by": split, "models": [self._answer(split, item) for item in items]}
            for split, items in self.splits.items()
        ]
        if not answers:
            return {"by": self.by, "models": [], **more}
        return {"splits": answers, **more} if self.by == ALL else answers[0] | more

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
        lines += [f"{self.seen}"] if self.seen else []
        return lines + [line for one in self.kinds for line in one.lines()]

    def __str__(self) -> str:
        return "\n".join(["Errors: median / mean / P90.", *self.lines()])

    def _repr_html_(self) -> str:
        return html_text(str(self))


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _of_rate(scores: Scores) -> str:
    return (
        f"{scores.model}, {scores.cells} cells held out by {scores.by}: {scores.error} % off; "
        f"noise floor of medians {scores.noise_floor or '-'} %; "
        f"{_share(scores.verdict_accuracy)} of verdicts right; "
        f"{scores.coverage:.1%} of loads inside their 90 % interval, half-width "
        f"{scores.half_width_percent:.1f} %, and {scores.median_coverage:.1%} of medians inside "
        f"theirs, {scores.median_half_width_percent:.1f} %"
    )


@one_thread()
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
        of these in turn; ``box``, each of several boxes by the constants of the others.
    of
        What is predicted: ``rate``, ``cpu`` (busy shares) or ``latency``.
    models
        Names of capacity models; all if left out.
    progress
        Whether to show a bar. On two cores every model by ``group`` takes about 30 s for 400
        runs of pipelines and 90 s for 700 of XDP; fewer ``models`` take less. Several processes,
        ``with joblib.parallel_config(n_jobs=2)`` around it, give the same numbers; of 8 s of work
        two took 1.5 times as long as one (2026-11-23, 2-CPU VM at load 14). Linear algebra works
        in one thread meanwhile.

    Raises
    ------
    BadInputError
        No such split, model or quantity, or runs too few to hold any out.
    """
    check_question(by, of)
    chosen = [model_named(name, MODELS) for name in models or MODEL_NAMES]
    table = Runs.of(runs).table
    with telling(shown=progress) as tell:
        if of != "rate":
            return _of_kinds(table, by, of, tell)
        if by == BOX:
            held, notes = validate_boxes(table, tell)
            return Validation(by=by, of=of, splits={BOX: held}, notes=notes)
        known = learnable(table)
        mixes: tuple[Scored, ...] = ()
        if by in ("group", ALL) and not models and known.by_operations is not None:
            mixes = _kinds(table, of, "group", tell)
        if known.by_accesses is None:
            if not mixes:
                raise _only_by_operations(by)
            return Validation(by=by, of=of, kinds=mixes, notes=known.notes)
        splits, more = _splits(known.by_accesses, by, chosen, tell)
        asked = by in (SIZES, ALL) and not models
        seen = validate_seen(known.by_accesses, tell) if asked else None
    return Validation(by=by, of=of, splits=splits, kinds=mixes, seen=seen,
                      training=known.by_accesses, notes=(*known.notes, *more))  # fmt: skip


SPLIT_OF: dict[str, Split] = {name: name for name in SPLITS}


def check_question(by: str, of: str) -> None:
    """Refuse what cannot be validated before anything is read.

    Raises
    ------
    BadInputError
        No such split or quantity, or not this quantity by this split.
    """
    if by not in (*SPLITS, BOX, ALL):
        raise bad_input("by", by, why="no such split", allowed=", ".join((*SPLITS, BOX, ALL)),
                        do="use one of these names")  # fmt: skip
    if of not in QUANTITIES:
        raise bad_input("of", of, why="no such quantity", allowed=", ".join(QUANTITIES),
                        do="use one of these names")  # fmt: skip
    if of != "rate" and by in (ALL, BOX):
        raise bad_input("of", of, why=f"not supported together with by={by}",
                        allowed=", ".join(SPLITS), do="name one split")  # fmt: skip


def _kinds(table: pd.DataFrame, of: str, by: Split, tell: Tell) -> tuple[Scored, ...]:
    tell(f"{'operations' if of == 'rate' else of} by {by}", 0, 1)
    return validate_kinds(table, of=of, by=by, rng=np.random.default_rng(SEED))


def _of_kinds(table: pd.DataFrame, by: str, of: str, tell: Tell) -> Validation:
    """Validate what only kinds beside capacity predict."""
    known = learnable(table) if of == "cpu" else None
    if known is not None and known.by_accesses is None:
        raise _only_by_operations(by)
    found = _kinds(table, of, SPLIT_OF[by], tell)
    if not found:
        raise no_latency(len(table))
    return Validation(by=by, of=of, kinds=found, training=known.by_accesses if known else None,
                      notes=known.notes if known else ())  # fmt: skip


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
            found[split] = validate_all(models, training, by=split, tell=tell)
        except BadInputError as error:
            if by == split:
                raise
            notes.append(f"not held out by {split}: {error}")
    if not found:
        raise bad_input("runs", len(training), why="too few to hold any out",
                        allowed="several loads of each program", do="measure more")  # fmt: skip
    return found, tuple(notes)
