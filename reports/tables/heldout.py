"""Table of predictions for cells that the model had not seen."""

from __future__ import annotations

import pandas as pd

from linerate.reports.sections import Section
from linerate.reports.tables.cells import LeftOut

COLUMNS = ["datapath", "program", "memory_accesses", "queues", "frame_bytes", "runs",
           "measured_mpps", "predicted_mpps", "lower_mpps", "upper_mpps"]  # fmt: skip
ERRORS = ["error_percent", "lower_percent", "upper_percent"]
"""Of the prediction and of the ends of its interval, against the measured median."""


def held_out_table(section: Section) -> pd.DataFrame | LeftOut:
    """Each held-out cell with its interval, and the noise floor of single runs in every row."""
    if section.validation is None:
        return LeftOut(why="too few program loads to hold any out")
    frame = section.validation.frame[COLUMNS]
    floor = section.validation.scores.noise_floor
    errors = {
        name: 100.0 * (frame[mpps] / frame["measured_mpps"] - 1.0)
        for name, mpps in zip(ERRORS, ("predicted_mpps", "lower_mpps", "upper_mpps"), strict=True)
    }
    return frame.assign(
        **errors, noise_floor_percent=floor.mean_percent if floor is not None else float("nan")
    )
