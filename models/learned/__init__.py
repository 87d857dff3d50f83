"""What scikit-learn makes of the same runs: comparators, and what is left over by physics."""

from __future__ import annotations

from linerate.models.learned.gaussian import GaussianProcess
from linerate.models.learned.hybrid import Hybrid
from linerate.models.learned.trees import Boosting, Forest

__all__ = ["Boosting", "Forest", "GaussianProcess", "Hybrid"]
