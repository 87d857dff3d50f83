"""Many runs of one cell as few: what a fit of constants needs of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, Protocol

import numpy as np

from linerate.models.runs.cells import Array
from linerate.models.runs.training import Training

RUNS_MAX = 16
"""Runs of a cell up to which each stands for itself."""


class Loss(Protocol):
    """What SciPy takes for a loss of one's own."""

    def __call__(self, squares: Array, /, *, cost_only: bool | None = None) -> Array:
        """Give loss and its two derivatives of squared residuals, shapes (n,) and (3, n)."""
        ...


def collapsed(training: Training, loss_scale: float) -> tuple[Training, Array]:
    """Put runs of one cell together whose log rates lie within half of a loss's scale.

    All runs of a cell have one prediction, so a robust loss sees them by their rates alone. Runs
    within such a step pull at a fit as their mean does, to 1 % of their pull: an outlier has a
    step of its own, and stays one.

    Parameters
    ----------
    training
        Runs.
    loss_scale
        Log residual beyond which a run weighs less.

    Returns
    -------
    Runs, and how many each stands for, shape (n,); as they were where no cell has more than
    ``RUNS_MAX``.
    """
    _, of_cell, count = np.unique(training.cell, return_inverse=True, return_counts=True)
    if count.max() <= RUNS_MAX:
        return training, np.ones(len(training))
    log_mpps = np.log(training.forwarded_mpps)
    step = np.floor(log_mpps / (loss_scale / 2.0))
    place = np.where(count[of_cell] <= RUNS_MAX, np.arange(len(training)), step).astype(np.int64)
    # One number for cell and place, in their order: sorting pairs takes ten times as long.
    part = of_cell * (np.ptp(place) + 1) + (place - place.min())
    _, first, of_part, weight = np.unique(
        part, return_index=True, return_inverse=True, return_counts=True
    )
    mean = np.bincount(of_part, weights=log_mpps) / weight
    return replace(training.take(first), forwarded_mpps=np.exp(mean)), weight.astype(np.float64)


def loss_of(weight: Array) -> Literal["soft_l1"] | Loss:
    """Take SciPy's ``soft_l1``, for runs that may stand for several.

    Parameters
    ----------
    weight
        Runs that each stands for; what follows them counts once.
    """
    if bool((weight == 1.0).all()):
        return "soft_l1"

    def loss(squares: Array, /, *, cost_only: bool | None = None) -> Array:
        times = np.ones(len(squares))
        times[: len(weight)] = weight
        root = np.sqrt(1.0 + squares)
        return np.asarray(times * np.stack([2.0 * (root - 1.0), 1.0 / root, -0.5 / root**3]))

    return loss
