"""From runs, or from a file, to a model."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from linerate.face.model import Model
from linerate.models.file.saved import load_model
from linerate.models.fitting import AUTO, fit_models
from linerate.progress import telling
from linerate.tables.measured import Runs


def fit(runs: Runs | pd.DataFrame, model: str = AUTO, *, progress: bool = True) -> Model:
    """Fit all that runs tell: capacity with intervals, costs of operations, latency.

    Parameters
    ----------
    runs
        What ``read`` gives, or a table of runs.
    model
        Name of a capacity model, or ``auto`` for the best on program loads not seen.
    progress
        Whether to show a bar.

    Returns
    -------
    The model, its errors on program loads held out in ``validation``.

    Raises
    ------
    BadInputError
        No run can be fitted on, or no capacity model has this name.
    """
    with telling(shown=progress) as tell:
        fitting = fit_models(Runs.of(runs).table, model=model, progress=tell)
    return Model(file=fitting.file, fitting=fitting)


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model file.

    Raises
    ------
    BadInputError
        Not a model file: what it is instead, and what to do.
    """
    return Model(file=load_model(Path(path)))
