"""Values at which a model's line is drawn."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

LINE_POINTS = 60
"""Points of a model's line."""


def access_grid(accesses: pd.Series, points: int = LINE_POINTS) -> NDArray[np.float64]:
    """Access counts for a model's line: the measured ones and what lies between, ascending."""
    values = np.unique(accesses.to_numpy(dtype=np.float64))
    low = max(1.0, float(values[0]))
    between = np.geomspace(low, max(low, float(values[-1])), points).round()
    return np.unique(np.concatenate([values, between[between <= values[-1]]]))


def crossed(groups: pd.DataFrame, name: str, values: NDArray[np.float64]) -> pd.DataFrame:
    """Each row of ``groups`` once for every value of a further column."""
    return groups.merge(pd.DataFrame({name: values}), how="cross")


def few(values: pd.Series, most: int) -> list[float]:
    """At most so many distinct values, the ends among them, evenly by rank.

    >>> few(pd.Series([0, 1, 100, 200, 400, 800, 1600]), 4)
    [0.0, 100.0, 400.0, 1600.0]
    """
    distinct = np.unique(values.to_numpy(dtype=np.float64))
    ranks = np.linspace(0, distinct.size - 1, min(most, distinct.size)).round().astype(int)
    return [float(value) for value in distinct[ranks]]
