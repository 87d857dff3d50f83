"""Error of predicted CPU shares on groups that were held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from linerate.errors import bad_input
from linerate.models.capacity.model import Capacity
from linerate.models.latency.shares import shares_of, utilisations
from linerate.models.runs.cells import Array, Pair
from linerate.models.runs.training import Training
from linerate.models.validation.folds import Split, partitions
from linerate.models.validation.latency_rows import LatencyFold
from linerate.models.validation.validation import FOLDS


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuScore:
    """Mean absolute error of CPU shares, in points of percent, over runs."""

    name: str
    """Datapath and program, or ``all``."""
    runs: int
    points: float
    """Of the prediction."""
    utilisation_points: float
    """Of utilisation as it is, without what sampling misses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuValidation:
    """Scores of all runs, then of each path."""

    scores: tuple[CpuScore, ...]

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {"cpu": [asdict(score) for score in self.scores]}

    def lines(self) -> list[str]:
        """Say it in words, a line a score."""
        return [f"{one.name}: CPU share {one.points:.1f} points off over {one.runs} runs"
                for one in self.scores]  # fmt: skip


def validate_cpu(training: Training, *, by: Split, rng: np.random.Generator) -> CpuValidation:
    """Predict the CPU shares of runs held out, with capacity and curves of the others only.

    Raises
    ------
    BadInputError
        No run has a CPU share, or nothing is left to fit.
    """
    if not np.isfinite(training.busy).any():
        raise bad_input("cpu_busy_ratio", "none", why="no run has a CPU share",
                        allowed="runs with cpu_busy_ratio", do="measure it")  # fmt: skip
    parts = []
    for seen, held in partitions(training, by, FOLDS, rng):
        model = Capacity.fit(seen)
        service_mpps = model.limits(held.cells).service_mpps
        predicted = shares_of(seen, model).predict_cells(held.cells, service_mpps)
        used = utilisations(held.cells, service_mpps)
        parts.append(_Part(held=held, predicted=predicted, used=used))
    return _scored(training.cells.pairs, parts)


def validate_under_load(folds: Sequence[LatencyFold]) -> CpuValidation | None:
    """Predict the CPU shares of load-latency runs held out, as latency at that load is predicted.

    Returns
    -------
    None where there are no such runs with a share.
    """
    parts = []
    for fold in folds:
        held = fold.held.take(np.isfinite(fold.held.busy))
        predicted = fold.model.predict_cells(held.cells)
        used = utilisations(held.cells, predicted.capacity_mpps)
        parts.append(_Part(held=held, predicted=predicted.cpu_busy_ratio, used=used))
    some = any(len(part.held) for part in parts)
    return _scored(parts[0].held.cells.pairs, parts) if some else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Part:
    """Runs of one fold with their predicted shares; arrays have shape (n,)."""

    held: Training
    predicted: Array
    used: Array
    """Utilisation."""


def _scored(pairs: Sequence[Pair], parts: Sequence[_Part]) -> CpuValidation:
    pair = np.concatenate([part.held.cells.pair for part in parts])
    errors = 100.0 * np.concatenate(
        [np.abs([part.predicted - part.held.busy, part.used - part.held.busy]) for part in parts],
        axis=1,
    )
    known = np.isfinite(errors).all(axis=0)
    rows = [("all", known)]
    rows += [(str(name), known & (pair == code)) for code, name in enumerate(pairs)]
    return CpuValidation(scores=tuple(
        CpuScore(name=name, runs=int(some.sum()), points=float(errors[0, some].mean()),
                 utilisation_points=float(errors[1, some].mean()))
        for name, some in rows if some.any()
    ))  # fmt: skip
