"""How far a model is off on each path, over cells that it had not seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linerate.models.runs.cells import Pair
from linerate.models.validation.spread import Spread, spread
from linerate.models.validation.validation import Validation


@dataclass(frozen=True, slots=True, kw_only=True)
class PathResiduals:
    """Held-out errors of one datapath and program."""

    pair: Pair
    cells: int
    bias_percent: float
    """Median of predicted over measured, less 1."""
    error: Spread
    coverage: float
    """Share of single loads inside their 90 % interval."""


def residuals_by_path(validation: Validation) -> tuple[PathResiduals, ...]:
    """Summarise held-out errors of each datapath and program."""
    found = []
    for (datapath, program), cells in validation.frame.groupby(["datapath", "program"]):
        measured = cells["measured_mpps"].to_numpy(dtype=np.float64)
        off = cells["predicted_mpps"].to_numpy(dtype=np.float64) / measured - 1.0
        found.append(PathResiduals(
            pair=Pair(str(datapath), str(program)), cells=len(cells),
            bias_percent=float(100.0 * np.median(off)), error=spread(off),
            coverage=float(cells["runs_inside"].sum() / cells["runs"].sum()),
        ))  # fmt: skip
    return tuple(found)
