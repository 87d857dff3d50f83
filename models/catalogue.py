"""Every capacity model."""

from __future__ import annotations

from linerate.models.capacity.model import Capacity
from linerate.models.learned import Boosting, Forest, GaussianProcess, Hybrid
from linerate.models.regression import LogMixed, LogOls, LogQuantile, LogWls
from linerate.models.runs.limits import CapacityModel

MODELS: tuple[type[CapacityModel], ...] = (
    Capacity, Hybrid, GaussianProcess, Boosting, Forest, LogOls, LogWls, LogMixed, LogQuantile,
)  # fmt: skip
"""Best first; all but the first two are comparators, which a model of physics must beat."""
MODEL_NAMES = tuple(model.name for model in MODELS)
"""What the command line and model files call them."""
