"""Models that predict what was not measured from what was.

Each name is imported when it is first used: all of them load most of SciPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    from linerate.models.validation.validation import (
        Validation,
        noise_floor,
        validate,
        validate_all,
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

_MODULES = {
    "Capacity": "capacity.model",
    "MODELS": "catalogue",
    "ModelFile": "file.modelfile",
    "load_model": "file.saved",
    "save_model": "file.saved",
    "Fitting": "fitting",
    "fit_models": "fitting",
    "learnable": "fitting",
    "Predictor": "intervals.predictor",
    "fit_predictor": "intervals.predictor",
    "KINDS": "kinds",
    "Kind": "kinds",
    "LatencyModel": "latency",
    "Overload": "latency",
    "fit_latency": "latency",
    "fit_overload": "latency",
    "Boosting": "learned",
    "Forest": "learned",
    "GaussianProcess": "learned",
    "Hybrid": "learned",
    "LogMixed": "regression",
    "LogOls": "regression",
    "LogQuantile": "regression",
    "LogWls": "regression",
    "Cells": "runs.cells",
    "Pair": "runs.cells",
    "cells_of": "runs.cells",
    "CapacityModel": "runs.limits",
    "Training": "runs.training",
    "training_of": "runs.training",
    "Validation": "validation.validation",
    "noise_floor": "validation.validation",
    "validate": "validation.validation",
    "validate_all": "validation.validation",
}
"""Where each name is, below this package."""


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
