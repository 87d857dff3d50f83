"""Models that predict what was not measured from what was."""

from __future__ import annotations

from linerate.models.capacity.model import Capacity
from linerate.models.catalogue import MODELS
from linerate.models.file.modelfile import ModelFile
from linerate.models.file.saved import load_model, save_model
from linerate.models.fitting import Fitting, fit_models, learnable
from linerate.models.intervals.predictor import Predictor, fit_predictor
from linerate.models.kinds import KINDS, Kind
from linerate.models.latency import LatencyModel, Overload, fit_latency, fit_overload
from linerate.models.learned import Boosting, Forest, GaussianProcess, Hybrid
from linerate.models.regression import LogMixed, LogOls, LogQuantile, LogWls
from linerate.models.runs.cells import Cells, Pair, cells_of
from linerate.models.runs.limits import CapacityModel
from linerate.models.runs.training import Training, training_of
from linerate.models.validation.validation import Validation, noise_floor, validate, validate_all

__all__ = [
    "KINDS",
    "MODELS",
    "Boosting",
    "Capacity",
    "CapacityModel",
    "Cells",
    "Fitting",
    "Forest",
    "GaussianProcess",
    "Hybrid",
    "Kind",
    "LatencyModel",
    "LogMixed",
    "LogOls",
    "LogQuantile",
    "LogWls",
    "ModelFile",
    "Overload",
    "Pair",
    "Predictor",
    "Training",
    "Validation",
    "cells_of",
    "fit_latency",
    "fit_models",
    "fit_overload",
    "fit_predictor",
    "learnable",
    "load_model",
    "noise_floor",
    "save_model",
    "training_of",
    "validate",
    "validate_all",
]
