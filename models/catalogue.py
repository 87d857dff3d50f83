"""Every capacity model."""

from __future__ import annotations

from linerate.errors import BadInputError, bad_input
from linerate.models.capacity.model import Capacity
from linerate.models.learned import Boosting, Forest, GaussianProcess, Hybrid
from linerate.models.regression import LogLinear, LogMixed, LogOls, LogQuantile, LogWls
from linerate.models.runs.limits import CapacityModel

MODELS: tuple[type[CapacityModel], ...] = (
    Capacity, Hybrid, GaussianProcess, Boosting, Forest, LogOls, LogWls, LogMixed, LogQuantile,
)  # fmt: skip
"""Best first; all but the first two are comparators, which a model of physics must beat."""
MODEL_NAMES = tuple(model.name for model in MODELS)
"""What the command line and model files call them."""
SUMMARISED = tuple(model.name for model in MODELS if issubclass(model, LogLinear))
"""Those of which statsmodels has tables."""


def no_summary(name: str) -> BadInputError:
    """Make the error that a model has none of statsmodels' tables."""
    return bad_input("summary", name, why="statsmodels did not fit it",
                     allowed=", ".join(SUMMARISED),
                     do="name one of these as the model, or leave out the summary")  # fmt: skip
