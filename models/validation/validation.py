"""Error on runs that a model has not seen, beside the noise of the runs themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.errors import bad_input
from linerate.line_rate import SATURATING_RATIO, holds, likely_sustained, sustains
from linerate.messages import note
from linerate.models.intervals.predictor import Predictor, fit_predictor
from linerate.models.runs.cells import FACTORS, Array
from linerate.models.runs.limits import Fitter
from linerate.models.validation.floor import floor_of_medians, floor_of_runs
from linerate.models.validation.folds import SPLITS, Split, partitions
from linerate.models.validation.spread import Spread, spread
from linerate.records import Predictions

if TYPE_CHECKING:
    from linerate.models.runs.training import Training

FOLDS = 5
"""Folds of a split that has no folds of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """How a model did on cells that it had not seen, each against its measured median."""

    model: str
    by: Split
    cells: int
    """Cells scored."""
    error: Spread
    noise_floor: Spread | None
    """What a perfect model would score: medians of as many loads as cells have, drawn anew; None
    where no cell has 2 loads. An error far below it is a leak."""
    run_floor: Spread | None
    """Of single runs from the median of the others of their cell: what one load may differ by."""
    service_error: Spread | None
    """Error of the cells that stay below 99 % of their ceiling, line rate or what was offered:
    those that are hard to predict. None without such: forwarded equals offered then."""
    service_noise_floor: Spread | None
    """Noise floor of the cells that stay below 99 % of their ceiling."""
    verdict_accuracy: float | None
    """Share of right answers to "is at least 99 % of line rate forwarded?", of cells that
    were offered it; None without such."""
    verdict_balanced_accuracy: float | None
    """Mean of the shares among the cells that do and those that do not."""
    coverage: float
    """Share of single loads inside the 90 % interval of one load."""
    half_width_percent: float
    """Mean half-width of this interval, % of the prediction."""
    median_coverage: float
    """Share of cells whose median is inside the 90 % interval of medians."""
    median_half_width_percent: float
    """Mean half-width of this one, % of the prediction."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Validation:
    """Scores and the cells behind them."""

    scores: Scores
    frame: pd.DataFrame
    """One row per held-out cell: ``datapath, program, memory_accesses, queues, frame_bytes,
    link_gbps, line_rate_mpps, ceiling_mpps`` (line rate, or what was offered if less), ``runs,
    measured_mpps`` (median), what ``Predictions`` has, ``runs_inside`` (their interval), ``fold``.
    """


def validate(
    model: Fitter,
    training: Training,
    *,
    by: Split = "group",
    rng: np.random.Generator,
    progress: Callable[[], None] = lambda: None,
) -> Validation:
    """Hold runs out fold by fold, choosing, fitting and calibrating on the others only.

    Parameters
    ----------
    model
        A member of ``MODELS``, or what other boxes lend.
    training
        Runs, as ``training_of`` gives them.
    by
        What is held out.
    rng
        Deals groups to folds.
    progress
        Called after each fold.

    Raises
    ------
    BadInputError
        Nothing is left to fit when a fold is held out, or of no program are there runs that are
        held out and others that are seen.
    """
    parts = []
    for fold, (seen, held) in enumerate(partitions(training, by, FOLDS, rng)):
        predictor = fit_predictor(model, seen, rng)
        parts.append(predicted_frame(predictor, held).assign(fold=fold))
        progress()
    frame = pd.concat(parts, ignore_index=True)
    if frame.empty:
        raise bad_input("by", by, why=note("all runs of a program are held out together"),
                        allowed=", ".join(SPLITS),
                        do=note("measure more access counts or queues"))  # fmt: skip
    return Validation(scores=scores_of(model.name, by, frame, training), frame=frame)


def predicted_frame(predictor: Predictor, held: Training) -> pd.DataFrame:
    """Lay out runs held out beside their prediction: ``Validation.frame`` without the fold."""
    medians = held.medians()
    predictions = predictor.predict_cells(medians.cells)
    frame = _cells_frame(held, medians).assign(**predictions.columns())
    return frame.assign(runs_inside=_runs_inside(held, predictions))


def by_value(validation: Validation, training: Training) -> dict[float, Scores]:
    """Score each held-out value of a factor by itself; empty for splits that hold out no value.

    Extrapolation is worse than interpolation, and the ends of a range hide in the mean of all.
    """
    by = validation.scores.by
    if by not in FACTORS:
        return {}
    values = getattr(training.cells, by)
    return {
        float(value): scores_of(
            validation.scores.model, by, validation.frame[validation.frame[by] == value],
            training.take(values == value),
        )
        for value in np.unique(validation.frame[by])
    }  # fmt: skip


def _cells_frame(held: Training, medians: Training) -> pd.DataFrame:
    pairs = [medians.cells.pairs[code] for code in medians.cells.pair]
    return pd.DataFrame(
        {
            "datapath": [pair.datapath for pair in pairs],
            "program": [pair.program for pair in pairs],
            **{name: getattr(medians.cells, name) for name in FACTORS},
            "line_rate_mpps": medians.cells.line_mpps,
            "ceiling_mpps": medians.ceiling_mpps,
            "runs": np.unique(held.cell, return_counts=True)[1],
            "measured_mpps": medians.forwarded_mpps,
        }
    )


def _runs_inside(held: Training, predictions: Predictions) -> Array:
    """Count the runs of each cell that its interval of one load holds, in order of cells."""
    _, cell = np.unique(held.cell, return_inverse=True)
    inside = holds(predictions.lower_mpps[cell], predictions.upper_mpps[cell],
                   held.forwarded_mpps, held.cells.line_mpps)  # fmt: skip
    return np.asarray(np.bincount(cell, weights=inside), dtype=np.float64)


def noise_floor(training: Training) -> Spread | None:
    """Error of a perfect model on these cells' medians; None where no cell has 2 loads."""
    return floor_of_medians(training.forwarded_mpps, training.cell, training.cells.pair)


def _below_ceiling(training: Training) -> Training:
    medians = training.medians()
    below = ~sustains(medians.forwarded_mpps, medians.ceiling_mpps)
    return training.take(np.isin(training.cell, medians.cell[below]))


def scores_of(name: str, by: Split, frame: pd.DataFrame, training: Training) -> Scores:
    """Score what was predicted of the runs of a table."""
    measured = frame["measured_mpps"].to_numpy()
    predicted = frame["predicted_mpps"].to_numpy()
    lower, upper = (frame[f"{end}_median_mpps"].to_numpy() for end in ("lower", "upper"))
    line = frame["line_rate_mpps"].to_numpy()
    served = ~sustains(measured, frame["ceiling_mpps"].to_numpy())
    error = predicted / measured - 1.0
    accuracy, balanced = _verdicts(frame[frame["ceiling_mpps"] >= SATURATING_RATIO * line])
    return Scores(
        model=name, by=by, cells=len(frame), error=spread(error),
        noise_floor=noise_floor(training),
        run_floor=floor_of_runs(training.forwarded_mpps, training.cell),
        service_error=spread(error[served]) if served.any() else None,
        service_noise_floor=noise_floor(_below_ceiling(training)),
        verdict_accuracy=accuracy, verdict_balanced_accuracy=balanced,
        coverage=float(frame["runs_inside"].sum() / frame["runs"].sum()),
        half_width_percent=_half_width_percent(frame, "lower_mpps", "upper_mpps"),
        median_coverage=float(holds(lower, upper, measured, line).mean()),
        median_half_width_percent=_half_width_percent(
            frame, "lower_median_mpps", "upper_median_mpps"),
    )  # fmt: skip


def _half_width_percent(frame: pd.DataFrame, lower: str, upper: str) -> float:
    return float((50.0 * (frame[upper] - frame[lower]) / frame["predicted_mpps"]).mean())


def _verdicts(asked: pd.DataFrame) -> tuple[float | None, float | None]:
    """Share of right verdicts on line rate, and its mean over both answers."""
    asked = asked[np.isfinite(asked["line_rate_mpps"])]
    if asked.empty:
        return None, None
    sustained = sustains(asked["measured_mpps"].to_numpy(), asked["line_rate_mpps"].to_numpy())
    right = likely_sustained(asked["sustains_line_rate"]) == sustained
    shares = [float(right[side].mean()) for side in (sustained, ~sustained) if side.any()]
    return float(right.mean()), float(np.mean(shares))
