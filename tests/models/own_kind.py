"""A model of one's own: energy of a packet over its memory accesses (docs/extending.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from linerate.models.kinds import Kind, Rates
from linerate.models.runs.cells import Mask
from linerate.models.runs.training import training_of
from linerate.models.validation.folds import HoldOut
from linerate.models.validation.latency import by_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Energy:
    """What a packet takes from the wall."""

    fixed_nj: float
    access_nj: float

    def packet_nj(self, cells: pd.DataFrame) -> np.ndarray:
        """Energy of a packet of each cell, shape (n,)."""
        return np.asarray(self.fixed_nj + self.access_nj * cells["memory_accesses"], np.float64)

    def __str__(self) -> str:
        return f"energy of a packet = {self.fixed_nj:.3g} nJ + {self.access_nj:.3g} nJ * accesses"


def fit_energy(runs: pd.DataFrame) -> Energy | None:
    """Fit a line to the runs that have an energy; None where none has."""
    if "energy_nj" not in runs.columns:
        return None
    access_nj, fixed_nj = np.polyfit(runs["memory_accesses"], runs["energy_nj"], 1)
    return Energy(fixed_nj=float(fixed_nj), access_nj=float(access_nj))


def _knows(_: Energy, cells: pd.DataFrame) -> Mask:
    return np.asarray(cells["memory_accesses"].notna(), dtype=np.bool_)


def _answer(model: Energy, cells: pd.DataFrame, _: Rates) -> Mapping[str, Any]:
    return {"packet_energy_nj": model.packet_nj(cells)}


def _held_out(runs: pd.DataFrame, how: HoldOut) -> pd.DataFrame:
    training, parts = training_of(runs), []
    for seen, held in how.parts(training):
        model, rows = fit_energy(runs.iloc[seen]), runs.iloc[held.row]
        if model is not None:
            parts.append(pd.DataFrame({
                "quantity": "energy", "name": rows["datapath"], "held_out": how.by,
                "cell": held.cell, "measured_us": rows["energy_nj"],
                "predicted_us": model.packet_nj(rows), "level_us": rows["energy_nj"].median(),
                "scale": 1.0,
            }))  # fmt: skip
    return pd.concat(parts, ignore_index=True)


KIND = Kind(name="energy", model=Energy, answers="energy", fit=fit_energy, knows=_knows,
            answer=_answer, validate=by_rows(_held_out))  # fmt: skip
