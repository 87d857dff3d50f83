"""Some runs of very many: for questions whose answer more program loads would not change."""

from __future__ import annotations

import numpy as np

from linerate.messages import note
from linerate.models.runs.training import Training

RUNS_MAX = 100_000
"""Runs up to which each is used."""
LOADS_MIN = 50
"""Loads of a cell that are kept at least."""
SEED = 0
"""The same runs are drawn again."""


def drawn(training: Training) -> Training:
    """Draw program loads evenly where there are very many; all runs where there are not.

    A tenth of the runs of each cell, say, and no fewer than ``LOADS_MIN``: a median of fifty loads
    lies within a fifth of what one load is off. A load is drawn with all its runs, but where a cell
    keeps more than its share.

    Parameters
    ----------
    training
        Runs.

    Returns
    -------
    About ``RUNS_MAX`` of them, in their order, or ``LOADS_MIN`` of each cell if that is more.
    """
    if len(training) <= RUNS_MAX:
        return training
    _, load = np.unique(training.load, return_inverse=True)
    place = np.random.default_rng(SEED).permutation(load.max() + 1)[load]
    order = np.lexsort((place, training.cell))
    _, begins, runs = np.unique(training.cell[order], return_index=True, return_counts=True)
    rank = np.arange(len(training)) - np.repeat(begins, runs)
    most = np.maximum(LOADS_MIN, np.ceil(runs * RUNS_MAX / len(training)))
    return training.take(np.sort(order[rank < np.repeat(most, runs)]))


def notes_on(training: Training, some: Training) -> tuple[str, ...]:
    """Say how many runs were drawn, if not all."""
    if len(some) == len(training):
        return ()
    return (
        note("errors and intervals of rates are those of {n} of {all} runs, drawn evenly from "
             "their cells; constants are of all", n=len(some), all=len(training)),
    )  # fmt: skip
