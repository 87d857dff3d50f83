"""How far off a model will be on cells that are asked about, judged by what was measured alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from linerate.errors import BadInputError
from linerate.line_rate import sustains
from linerate.models.intervals.extrapolation import wider_ratio
from linerate.models.intervals.predictor import Predictor, fit_predictor
from linerate.models.runs.cells import Array, Cells, Pair
from linerate.models.runs.limit_names import LIMITS
from linerate.models.runs.limits import SERVICE, USER_STAGE, CapacityModel
from linerate.models.runs.training import Training
from linerate.models.validation.validation import validate

SURENESS = 0.9
"""Chance that the mean error over program loads is no larger than the estimate."""
GROUPS_MIN = 5
"""Held-out groups of a pair below which its error is not estimated."""
SERVERS = LIMITS[SERVICE : USER_STAGE + 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a model that was fitted on few cells is expected to be off on all."""

    error_ratio: float
    """Mean absolute error over the cells, 0 to inf; inf where the runs cannot tell."""
    half_width_ratio: float
    """Mean half-width of the 90 % intervals of cells' medians, 0 to inf."""
    why: str = ""
    """Why the runs cannot tell, where they cannot."""


def expected_error(
    model: type[CapacityModel], training: Training, cells: Cells, rng: np.random.Generator
) -> Expected:
    """Estimate a model's error on cells, most of which were never measured.

    What the runs say of it is the error on whole groups of them that are held out in turn, with
    the form chosen anew each time, of those that lie between the others. Few groups say little:
    taken is the upper end of a one-sided 90 % interval of their mean, pair by pair. It grows
    outside of what was fitted as intervals do. A cell that its ceiling limits is off by what the
    ceiling was seen to be.

    Parameters
    ----------
    model
        What will be fitted.
    training
        What was measured so far.
    cells
        What will be asked.
    rng
        Deals groups to folds.

    Returns
    -------
    The random effect of program loads is in the errors it is estimated from, so it is rather too
    large.

    References
    ----------
    Cross-validation with the choice of the model inside: Cawley and Talbot, J. Mach. Learn. Res.
    11 (2010).
    """
    try:
        predictor = fit_predictor(model, training, rng)
        held = validate(model, training, by="group", rng=rng).frame
        predicted = predictor.predict_cells(cells)
    except BadInputError as error:
        return Expected(error_ratio=np.inf, half_width_ratio=np.inf, why=str(error))
    by_pair = np.array([pair_error(held, pair) for pair in cells.pairs])
    silent = [str(pair) for pair, error in zip(cells.pairs, by_pair, strict=True)
              if np.isinf(error)]  # fmt: skip
    served = np.isin(predicted.bottleneck, SERVERS)
    of_cell = np.where(served, by_pair[cells.pair], predictor.conformal.median.ceiling_half_width)
    widths = 0.5 * (predicted.upper_median_mpps - predicted.lower_median_mpps)
    return Expected(
        error_ratio=float((of_cell * _wider(predictor, cells)).mean()),
        half_width_ratio=float((widths / predicted.predicted_mpps).mean()),
        why=f"too few program loads of {', '.join(silent)} between others" if silent else "",
    )


def _wider(predictor: Predictor, cells: Cells) -> Array:
    return wider_ratio(predictor.conformal.widenings, predictor.domain, cells)


def pair_error(held: pd.DataFrame, pair: Pair) -> float:
    """Upper bound of a pair's mean error over its groups, by the frame of a validation.

    Returns
    -------
    Ratio; inf where fewer than ``GROUPS_MIN`` groups lie between others and below line rate.
    """
    from scipy.special import stdtrit  # slow to load

    rows = held[(held["datapath"] == pair.datapath) & (held["program"] == pair.program)]
    rows = rows[rows["in_domain"] & ~sustains(rows["measured_mpps"], rows["line_rate_mpps"])]
    error = (rows["predicted_mpps"] / rows["measured_mpps"] - 1.0).abs()
    groups = error.groupby([rows["queues"], rows["memory_accesses"]]).mean().to_numpy()
    if groups.size < GROUPS_MIN:
        return float("inf")
    reach = float(stdtrit(groups.size - 1, SURENESS))
    return float(groups.mean() + reach * groups.std(ddof=1) / np.sqrt(groups.size))
