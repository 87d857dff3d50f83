"""What a packet costs by what it executes: mixes of operations, chains, filters."""

from __future__ import annotations

from linerate.models.mixes.costs import costs, interactions
from linerate.models.mixes.model import Mixes
from linerate.models.mixes.predictor import MixPredictor, fit_mixes
from linerate.models.mixes.runs import MixRuns, mix_runs
from linerate.models.mixes.work import Work

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
