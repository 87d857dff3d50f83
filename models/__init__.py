"""Models that predict what was not measured from what was."""

from __future__ import annotations

from linerate.models.capacity import Capacity
from linerate.models.cells import Cells, Pair, cells_of
from linerate.models.limits import CapacityModel
from linerate.models.predictor import Predictor, fit_predictor
from linerate.models.regression import LogOls
from linerate.models.training import Training, training_of
from linerate.models.validation import Validation, noise_floor, validate, validate_all

MODELS: tuple[type[CapacityModel], ...] = (Capacity, LogOls)
"""Every capacity model, best first."""

__all__ = [
    "MODELS",
    "Capacity",
    "CapacityModel",
    "Cells",
    "LogOls",
    "Pair",
    "Predictor",
    "Training",
    "Validation",
    "cells_of",
    "fit_predictor",
    "noise_floor",
    "training_of",
    "validate",
    "validate_all",
]
