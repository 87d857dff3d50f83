"""A straight line through points, by plain least squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True, kw_only=True)
class StraightLine:
    """y = intercept + slope * x."""

    intercept: float
    slope: float
    r_squared: float
    """Share of the variance of y that the line explains; 1 where y does not vary."""

    def at(self, x: float) -> float:
        """Value at ``x``."""
        return self.intercept + self.slope * x


def fit_line(x: ArrayLike, y: ArrayLike) -> StraightLine:
    """Fit a line; ``x`` and ``y`` have shape (n,), with two distinct ``x`` at least.

    >>> fit_line([0, 1, 2], [1.0, 3.0, 5.0])
    StraightLine(intercept=1.0, slope=2.0, r_squared=1.0)
    """
    across = np.asarray(x, dtype=np.float64)
    up = np.asarray(y, dtype=np.float64)
    off_x, off_y = across - across.mean(), up - up.mean()
    slope = float(off_x @ off_y / (off_x @ off_x))
    residual = off_y - slope * off_x
    total = float(off_y @ off_y)
    return StraightLine(
        intercept=float(up.mean() - slope * across.mean()), slope=slope,
        r_squared=1.0 - float(residual @ residual) / total if total > 0.0 else 1.0,
    )  # fmt: skip
