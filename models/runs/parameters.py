"""Fitted constants by name, for those who read and not compute."""

from __future__ import annotations

import math
from dataclasses import dataclass

LEVEL = 0.9
"""Share of the intervals of constants."""
Interval = tuple[float, float]
UNKNOWN: Interval = (-math.inf, math.inf)
"""Interval of a constant that the runs are too few to bound, or that has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One fitted constant."""

    name: str
    """Its path, and what it is; the unit last."""
    value: float
    lower: float
    """Lower end of the 90 % interval; -inf where the runs do not bound it."""
    upper: float
    """Upper end; inf where the runs do not bound it."""
