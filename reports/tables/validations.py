"""Table of several models' errors on several ways to hold runs out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from linerate.models.validation.validation import Validation
from linerate.reports.tables.heldout import COLUMNS


def validations_table(validations: Sequence[Validation]) -> pd.DataFrame:
    """Each held-out cell of each model and split, with its error and the errors' ranks.

    Returns
    -------
    Columns of the cells, and ``by, model, error_percent`` (absolute), ``share`` (of the model's
    cells with no larger error, 0 to 1), ``noise_median_percent, noise_p90_percent`` (of single
    runs from their cell's median; nan where no cell was repeated).
    """
    return pd.concat([_of_one(validation) for validation in validations], ignore_index=True)


def _of_one(validation: Validation) -> pd.DataFrame:
    scores, frame = validation.scores, validation.frame[COLUMNS]
    error = 100.0 * (frame["predicted_mpps"] / frame["measured_mpps"] - 1.0).abs()
    floor = scores.noise_floor
    return frame.assign(
        by=scores.by, model=scores.model, error_percent=error,
        share=error.rank(method="first") / len(frame),
        noise_median_percent=floor.median_percent if floor else np.nan,
        noise_p90_percent=floor.p90_percent if floor else np.nan,
    )  # fmt: skip
