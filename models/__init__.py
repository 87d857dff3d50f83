"""Models that predict what was not measured from what was."""

from __future__ import annotations

from linerate.models.capacity import Capacity
from linerate.models.cells import Cells, Pair, cells_of
from linerate.models.limits import CapacityModel
from linerate.models.modelfile import ModelFile, load_model, save_model
from linerate.models.predictor import Predictor, fit_predictor
from linerate.models.queueing import LatencyModel, fit_latency
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
    "LatencyModel",
    "LogOls",
    "ModelFile",
    "Pair",
    "Predictor",
    "Training",
    "Validation",
    "cells_of",
    "fit_latency",
    "fit_predictor",
    "load_model",
    "noise_floor",
    "save_model",
    "training_of",
    "validate",
    "validate_all",
]
