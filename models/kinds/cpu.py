"""CPU at an offered load: what sampling would see where shares were measured, else utilisation.

Utilisation, the load over what the cores alone would forward, follows from the rates, so nothing of
it is fitted or saved; it answers for operations, and where no run has a CPU share.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from linerate.models.kinds.kind import Kind, Rates, knows_pairs
from linerate.models.latency.busy import utilisation
from linerate.models.latency.shares import CpuShares, fit_shares
from linerate.models.runs.cells import Mask, cells_of
from linerate.models.validation.cpu import validate_cpu


def _knows(_: None, cells: pd.DataFrame) -> Mask:
    if "offered_mpps" not in cells.columns:
        return np.zeros(len(cells), dtype=np.bool_)
    return np.asarray(cells["offered_mpps"].notna(), dtype=np.bool_)


def _answer(_: None, cells: pd.DataFrame, rates: Rates) -> Mapping[str, Any]:
    offered_mpps = cells["offered_mpps"].to_numpy(dtype=np.float64)
    return {"cpu_busy_ratio": utilisation(offered_mpps, rates.service_mpps)}


def _was_sampled(model: CpuShares, cells: pd.DataFrame) -> Mask:
    return _knows(None, cells) & knows_pairs(model.pairs, cells)


def _sampled(model: CpuShares, cells: pd.DataFrame, rates: Rates) -> Mapping[str, Any]:
    shares = model.predict_cells(cells_of(cells, model.pairs), rates.service_mpps)
    return {"cpu_busy_ratio": shares}


SAMPLED = Kind(name="cpu_shares", model=CpuShares, answers="cpu", fit=fit_shares,
               knows=_was_sampled, answer=_sampled, needs_load=True, of="cpu",
               validate=validate_cpu)  # fmt: skip
UTILISATION = Kind(name="cpu", answers="cpu", knows=_knows, answer=_answer,
                   needs_load=True, of="cpu")  # fmt: skip
