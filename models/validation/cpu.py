"""Error of predicted CPU shares on groups that were held out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from linerate.errors import BadInputError, bad_input
from linerate.models.capacity.model import Capacity
from linerate.models.latency.shares import shares_of, utilisations
from linerate.models.runs.cells import Array, Mask
from linerate.models.runs.training import Training, training_of
from linerate.models.validation.folds import HoldOut, partitions
from linerate.models.validation.latency_rows import LatencyFold, latency_folds
from linerate.models.validation.validation import FOLDS


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuScore:
    """Mean absolute error of CPU shares, in points of percent, over runs."""

    name: str
    """Datapath and program, or ``all``."""
    runs: int
    runs_by_latency: int
    """Of them those at loads with latency, answered by its model."""
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
        return [f"{one.name}: CPU share {one.points:.1f} points off over {one.runs} runs "
                f"({one.runs_by_latency} by the latency model)" for one in self.scores]  # fmt: skip


def validate_cpu(runs: pd.DataFrame, how: HoldOut) -> CpuValidation:
    """Predict the CPU shares of runs held out, each by what answers for it.

    That is the latency model at loads with latency that it knows, else capacity and curves; both
    of the other runs alone. Beside runs of the serial mode, those of the split mode are left out
    where no such model can be fitted, or they have one value only of what is held out.

    Raises
    ------
    BadInputError
        No run has a CPU share, or nothing is left to fit.
    """
    if not np.isfinite(runs["cpu_busy_ratio"].to_numpy(dtype=np.float64)).any():
        raise bad_input("cpu_busy_ratio", "none", why="no run has a CPU share",
                        allowed="runs with cpu_busy_ratio", do="measure it")  # fmt: skip
    folds = _latency_folds_or_none(runs.reset_index(drop=True), how)
    by_capacity = np.ones(len(runs), dtype=np.bool_)
    for fold in folds:
        by_capacity[fold.table.index] = False
    return _scored([*_under_load(folds), *_by_capacity(runs, how, by_capacity)])


def _latency_folds_or_none(runs: pd.DataFrame, how: HoldOut) -> tuple[LatencyFold, ...]:
    try:
        return latency_folds(runs, how)
    except BadInputError:
        return ()


def validate_under_load(folds: Sequence[LatencyFold]) -> CpuValidation | None:
    """Predict the CPU shares of load-latency runs held out, as latency at that load is predicted.

    Returns
    -------
    None where there are no such runs with a share.
    """
    parts = list(_under_load(folds))
    return _scored(parts) if any(len(part.held) for part in parts) else None


def _by_capacity(runs: pd.DataFrame, how: HoldOut, wanted: Mask) -> Iterator[_Part]:
    """Predict runs, each by a capacity and curves that have not seen it; keep those wanted."""
    training = training_of(runs)
    if not wanted[training.row].any():
        return
    for seen, held in partitions(training, how.by, FOLDS, how.rng):
        asked = held.take(wanted[held.row])
        if not len(asked):
            continue
        model = Capacity.fit(seen)
        service_mpps = model.limits(asked.cells).service_mpps
        yield _Part(
            held=asked, used=utilisations(asked.cells, service_mpps), by_latency=False,
            predicted=shares_of(seen, model).predict_cells(asked.cells, service_mpps),
        )  # fmt: skip


def _under_load(folds: Sequence[LatencyFold]) -> Iterator[_Part]:
    """Predict load-latency runs as latency at that load is predicted."""
    for fold in folds:
        held = fold.held.take(np.isfinite(fold.held.busy))
        predicted = fold.model.predict_cells(held.cells)
        yield _Part(held=held, predicted=predicted.cpu_busy_ratio, by_latency=True,
                    used=utilisations(held.cells, predicted.capacity_mpps))  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Part:
    """Runs of one fold with their predicted shares; arrays have shape (n,)."""

    held: Training
    predicted: Array
    used: Array
    """Utilisation."""
    by_latency: bool
    """Whether the latency model answers for them."""


def _scored(parts: Sequence[_Part]) -> CpuValidation:
    names = np.array([str(part.held.cells.pairs[code])
                      for part in parts for code in part.held.cells.pair])  # fmt: skip
    errors = 100.0 * np.concatenate(
        [np.abs([part.predicted - part.held.busy, part.used - part.held.busy]) for part in parts],
        axis=1,
    )
    by_latency = np.repeat([part.by_latency for part in parts], [len(part.held) for part in parts])
    known = np.isfinite(errors).all(axis=0)
    rows = [("all", known)]
    rows += [(str(name), known & (names == name)) for name in dict.fromkeys(names)]
    return CpuValidation(scores=tuple(
        CpuScore(name=name, runs=int(some.sum()), runs_by_latency=int((some & by_latency).sum()),
                 points=float(errors[0, some].mean()),
                 utilisation_points=float(errors[1, some].mean()))
        for name, some in rows if some.any()
    ))  # fmt: skip
