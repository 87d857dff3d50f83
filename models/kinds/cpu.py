"""CPU at an offered load: the load over what the cores alone would forward, at most all of it.

It follows from the rates, so nothing of it is fitted or saved; how far off it is, and what ticks
miss of it, is in ``models/validation/cpu``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from linerate.models.kinds.kind import Kind, Rates
from linerate.models.latency.busy import utilisation
from linerate.models.runs.cells import Mask
from linerate.models.runs.training import training_of
from linerate.models.validation.cpu import CpuValidation, validate_cpu
from linerate.models.validation.folds import HoldOut


def _knows(_: None, cells: pd.DataFrame) -> Mask:
    if "offered_mpps" not in cells.columns:
        return np.zeros(len(cells), dtype=np.bool_)
    return np.asarray(cells["offered_mpps"].notna(), dtype=np.bool_)


def _answer(_: None, cells: pd.DataFrame, rates: Rates) -> Mapping[str, Any]:
    offered_mpps = cells["offered_mpps"].to_numpy(dtype=np.float64)
    return {"cpu_busy_ratio": utilisation(offered_mpps, rates.service_mpps)}


def _validate(runs: pd.DataFrame, how: HoldOut) -> CpuValidation:
    return validate_cpu(training_of(runs), by=how.by, rng=how.rng)


KIND = Kind(name="cpu", answers="cpu", knows=_knows, answer=_answer, of="cpu", validate=_validate)
