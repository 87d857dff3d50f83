"""Error on a box of which no run is seen: what the constants of the others lead to expect."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from linerate.errors import bad_input
from linerate.models.loans import boxes_of, donors_among, loan_of, predictor_of
from linerate.models.runs.training import training_of
from linerate.models.validation.validation import Validation, predicted_frame, scores_of


def validate_boxes(
    runs: pd.DataFrame, progress: Callable[[str, int, int], None]
) -> tuple[tuple[Validation, ...], tuple[str, ...]]:
    """Predict each box of a table by the others alone, those of its paths that they have.

    Parameters
    ----------
    runs
        A table of runs of several boxes.
    progress
        Called with each box, how many are done, and how many there are.

    Returns
    -------
    A validation for each box, which its scores name, and why others have none.

    Raises
    ------
    BadInputError
        One box only, or no two with a path in common.
    """
    names = boxes_of(runs)
    found: list[Validation] = []
    notes: list[str] = []
    for number, name in enumerate(names):
        progress(name, number, len(names))
        own, donors, why = donors_among(runs, name)
        notes += why
        training = training_of(own)
        lent = {pair for donor in donors.values() for pair in donor.pairs}
        known = np.array([pair in lent for pair in training.cells.pairs])[training.cells.pair]
        if not known.any():
            notes.append(f"box {name} is not held out: no other has a datapath and program of it")
            continue
        held = training.take(known)
        frame = predicted_frame(predictor_of(loan_of(donors)), held).assign(fold=number)
        scores = scores_of(f"capacity for {name}", "box", frame, held)
        found.append(Validation(scores=scores, frame=frame))
    if not found:
        raise bad_input("by", "box", why="; ".join(notes) or "every run is of one box",
                        allowed="runs of two boxes that ran one program on one datapath",
                        do="name the runs of another box, too")  # fmt: skip
    return tuple(found), tuple(dict.fromkeys(notes))
