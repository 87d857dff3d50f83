"""How well the runs fix each constant of the physical model."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist

import numpy as np

from linerate.models.capacity_fit import LOGARITHMIC, LOSS_SCALE
from linerate.models.cells import Array, Cells
from linerate.models.paths import PathCost, path_limits
from linerate.models.training import Training

STEP = 1e-5
"""Change of a constant for its slope: relative, or absolute for those that may be 0."""


def with_intervals(
    paths: tuple[PathCost, ...], training: Training, nic_mpps: float
) -> tuple[PathCost, ...]:
    """Add to each path the 90 % interval of its constants.

    The errors are sandwich errors clustered by program load, whose runs share their luck; where
    paths share the cost of an access, each path's own runs give its interval.

    References
    ----------
    Liang and Zeger, Biometrika 73 (1986); weights of a robust loss: Huber (1964).
    """
    return tuple(
        path if path.bounded else replace(path, intervals=_intervals(path, training, nic_mpps))
        for path in paths
    )


def _intervals(
    path: PathCost, training: Training, nic_mpps: float
) -> dict[str, tuple[float, float]]:
    own = training.take(training.cells.pair == training.cells.pairs.index(path.pair))
    values = path.values()
    cells = own.cells.of_pairs([path.pair])
    centre = np.log(path_limits((path,), cells, nic_mpps).predicted_mpps)
    slopes = log_slopes(path, cells, nic_mpps)
    errors = _clustered_errors(slopes, centre - np.log(own.forwarded_mpps), own)
    return {
        name: _interval(name, values[name], float(error))
        for name, error in zip(values, errors, strict=True)
    }


def log_slopes(path: PathCost, cells: Cells, nic_mpps: float = np.inf) -> Array:
    """Slope of each cell's log rate by each constant, shape (n, constants).

    By the logarithm of those that are positive, by the others themselves.
    """

    def log_mpps(moved: PathCost) -> Array:
        return np.asarray(np.log(path_limits((moved,), cells, nic_mpps).predicted_mpps))

    centre = log_mpps(path)
    return np.column_stack([
        (log_mpps(path.with_values({name: _stepped(name, value)})) - centre) / STEP
        for name, value in path.values().items()
    ])  # fmt: skip


def _clustered_errors(slopes: Array, left: Array, training: Training) -> Array:
    weight = 1.0 / np.sqrt(1.0 + (left / LOSS_SCALE) ** 2)
    bread = np.linalg.pinv(slopes.T @ (slopes * weight[:, None]))
    _, load = np.unique(training.load, return_inverse=True)
    scores = np.zeros((int(load.max()) + 1, slopes.shape[1]))
    np.add.at(scores, load, slopes * (weight * left)[:, None])
    variance = np.diag(bread @ scores.T @ scores @ bread)
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)), dtype=np.float64)


def _stepped(name: str, value: float) -> float:
    return value * float(np.exp(STEP)) if name in LOGARITHMIC else value + STEP


def _interval(name: str, value: float, error: float) -> tuple[float, float]:
    reach = NormalDist().inv_cdf(0.95) * error
    if name in LOGARITHMIC:
        return value * float(np.exp(-min(reach, 50.0))), value * float(np.exp(min(reach, 50.0)))
    return max(value - reach, 0.0), value + reach
