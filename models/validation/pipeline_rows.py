"""Median latencies of pipelines that were held out, beside what the others say of them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from linerate.models.latency.pipelines import fit_asked, pipeline_runs, pipelines_in
from linerate.models.runs.cells import Array
from linerate.models.validation.folds import HoldOut, hold_out, shuffled_folds
from linerate.models.validation.latency_rows import ROWS

QUANTITY = "p50 of pipelines"


def pipeline_rows(runs: pd.DataFrame, how: HoldOut) -> pd.DataFrame:
    """Medians below 80 % of saturation, whole pipelines held out.

    All runs of one with latency leave together, at all loads and bursts, whatever is asked; its
    packet's time by serial runs is known.
    """
    timed, asked = pipeline_runs(runs)
    parts = [pd.DataFrame(columns=list(ROWS))]
    pipeline = pipelines_in(timed)
    if np.unique(pipeline).size > 1:
        measured_us = timed["latency_p50_us"].to_numpy(dtype=np.float64)
        for held in hold_out(shuffled_folds(pipeline, how.folds, how.rng)):
            model = fit_asked(asked.take(~held), measured_us[~held])
            if model is not None:
                level_us = float(np.median(measured_us[~held]))
                parts.append(_part(timed[held], model.p50_us(asked.take(held)), level_us))
    found = pd.concat(parts[1:] or parts, ignore_index=True)
    return found[found["predicted_us"].notna()].reset_index(drop=True)


def _part(rows: pd.DataFrame, predicted_us: Array, level_us: float) -> pd.DataFrame:
    return pd.DataFrame({
        "quantity": QUANTITY, "name": "swx/" + rows["program"].astype(str),
        "held_out": "pipeline",
        "cell": rows["operations"].astype(str) + "/"
        + rows["pipeline_burst_packets"].astype(str) + "/" + rows["offered_mpps"].astype(str),
        "measured_us": rows["latency_p50_us"].astype(float), "predicted_us": predicted_us,
        "level_us": level_us, "scale": 1.0,
    })  # fmt: skip
