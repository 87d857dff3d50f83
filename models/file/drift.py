"""New runs held against all that a model file knows of their packets."""

from __future__ import annotations

import pandas as pd

from linerate.errors import bad_input
from linerate.models.file.modelfile import ModelFile
from linerate.models.fitting import learnable
from linerate.models.validation.drift import Drift, drift_together, held_cells, held_works


def drift_of_file(fitted: ModelFile, runs: pd.DataFrame) -> tuple[Drift, tuple[str, ...]]:
    """Check whether runs lie in a model's intervals as often as promised.

    Parameters
    ----------
    fitted
        A model file; of operations its costs answer, of memory accesses its capacity model.
    runs
        A table of runs that it was not fitted on.

    Returns
    -------
    The answer, and what was left out or is of another machine.

    Raises
    ------
    BadInputError
        No run inside the domain, or a program that the model does not know.
    """
    known, mixes = learnable(runs), fitted.mixes
    held = []
    if known.by_operations is not None and mixes is not None:
        held.append(held_works(mixes, known.by_operations))
    if known.by_accesses is not None and (fitted.by_accesses or not held):
        held.append(held_cells(fitted.predictor, known.by_accesses))
    if not held:
        raise bad_input("runs", len(runs), why="their packets differ by operations, and the model "
                        "has no costs of these", allowed="runs of memory accesses",
                        do="fit with such runs")  # fmt: skip
    return drift_together(held), (*known.notes, *fitted.provenance.other_machine(runs))
