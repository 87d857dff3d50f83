"""What a packet costs by what it executes: mixes of operations, chains, filters."""

from __future__ import annotations

from linerate.models.operations.costs import costs, interactions
from linerate.models.operations.model import Mixes
from linerate.models.operations.predictor import MixPredictor, fit_mixes
from linerate.models.operations.runs import MixRuns, mix_runs
from linerate.models.operations.work import Work

__all__ = [
    "MixPredictor",
    "MixRuns",
    "Mixes",
    "Work",
    "costs",
    "fit_mixes",
    "interactions",
    "mix_runs",
]
