"""Median, mean and tail of errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linerate.models.runs.cells import Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Median, mean and 90th percentile of absolute errors, %."""

    median_percent: float
    mean_percent: float
    p90_percent: float

    def __str__(self) -> str:
        return f"{self.median_percent:.1f} / {self.mean_percent:.1f} / {self.p90_percent:.1f}"


def spread(errors: Array) -> Spread:
    """Summarise relative errors, shape (n,).

    >>> spread(np.array([0.01, -0.02, 0.03])).median_percent
    2.0
    """
    percent = 100.0 * np.abs(errors)
    return Spread(
        median_percent=float(np.median(percent)), mean_percent=float(percent.mean()),
        p90_percent=float(np.quantile(percent, 0.9)),
    )  # fmt: skip
