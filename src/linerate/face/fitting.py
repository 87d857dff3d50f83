"""From runs, or from a file, to a model."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from linerate.errors import bad_input
from linerate.face.model import Model
from linerate.models.file.saved import load_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from linerate.face.lending import Source
    from linerate.tables.measured import Runs


def fit(
    runs: Runs | pd.DataFrame, model: str = "auto", *, prior: Source | Sequence[Source] = (),
    on: str = "", progress: bool = True,
) -> Model:  # fmt: skip
    """Fit all that runs tell: capacity with intervals, costs of operations, latency.

    Parameters
    ----------
    runs
        What ``read`` gives, or a table of runs.
    model
        Name of a capacity model, or ``auto`` for the best on program loads not seen.
    prior
        Models or box files of other machines, or their paths, one or several: their constants are
        what is expected of this one, and a few runs are enough. ``model`` is the capacity model
        then.
    on
        The box to fit, where the runs are of several: the others are a prior.
    progress
        Whether to show a bar.

    Returns
    -------
    The model, its errors on program loads held out in ``validation``.

    Raises
    ------
    BadInputError
        No run can be fitted on, no capacity model has this name, or the prior tells nothing of
        these runs.
    """
    # What fits is slow to load, and a model that is read from its file needs none of it.
    from linerate.face.lending import donors_of
    from linerate.models.capacity.model import Capacity
    from linerate.models.fitting import AUTO, fit_models
    from linerate.models.loans import donors_among, loan_of
    from linerate.progress import telling
    from linerate.tables.measured import Runs

    table = Runs.of(runs).table
    notes: tuple[str, ...] = ()
    donors = donors_of(prior)
    if on:
        table, others, notes = donors_among(table, on)
        donors = others | donors
    if donors and model not in (AUTO, Capacity.name):
        raise bad_input("model", model, why="a prior is of the constants of another",
                        allowed=Capacity.name, do="leave out the model, or the prior")  # fmt: skip
    with telling(shown=progress) as tell:
        asked = loan_of(donors) if donors else model
        fitting = fit_models(table, model=asked, progress=tell)
    return Model(file=fitting.file, fitting=replace(fitting, notes=(*notes, *fitting.notes)))


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model file.

    Raises
    ------
    BadInputError
        Not a model file: what it is instead, and what to do.
    """
    return Model(file=load_model(Path(path)))
