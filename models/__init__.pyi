from .capacity.model import Capacity
from .catalogue import MODELS
from .file.modelfile import ModelFile
from .file.saved import load_model, save_model
from .fitting import Fitting, fit_models, learnable
from .intervals.predictor import Predictor, fit_predictor
from .kinds import KINDS, Kind
from .latency import LatencyModel, Overload, fit_latency, fit_overload
from .learned import Boosting, Forest, GaussianProcess, Hybrid
from .regression import LogMixed, LogOls, LogQuantile, LogWls
from .runs.cells import Cells, Pair, cells_of
from .runs.limits import CapacityModel
from .runs.training import Training, training_of
from .validation.each import validate_all
from .validation.validation import (
    Validation,
    noise_floor,
    validate,
)

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
