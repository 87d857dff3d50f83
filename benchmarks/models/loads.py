"""Drawing which program load of a cell, or of a work, is the one that was measured."""

from __future__ import annotations

import numpy as np

from linerate.models.runs.cells import Codes


def loads_of(cell: Codes, asked: Codes, taken: Codes, rng: np.random.Generator) -> Codes:
    """Draw a load of each cell that was not measured yet, as far as there are any.

    Parameters
    ----------
    cell
        Of each run, shape (n,): its cell, or its work.
    asked
        Cells to draw from, in order; one that is there twice gets two loads.
    taken
        Rows of runs that are measured.
    rng
        What draws.

    Returns
    -------
    Rows of runs: those taken, and behind them those drawn.
    """
    rows = list(taken)
    for one in asked:
        left = np.setdiff1d(np.flatnonzero(cell == one), rows)
        if left.size:
            rows.append(int(rng.choice(left)))
    return np.array(rows, dtype=np.intp)
