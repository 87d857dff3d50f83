"""Quantiles of a wait whose share beyond any time is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from linerate.errors import bad_input
from linerate.models.arrays import Array
from linerate.models.crossing import crossing


def quantile_ns(beyond: Callable[[float], float], ratio: ArrayLike, scale_ns: float) -> Array:
    """Invert a share of packets that wait longer.

    Parameters
    ----------
    beyond
        Share that waits longer than so many ns; falls to 0.
    ratio
        0.99 for p99; any shape.
    scale_ns
        A time of the wait's order, from which the search begins.

    Returns
    -------
    Waits, shape of ``ratio``, ns; 0 where no more than that share waits at all.

    Raises
    ------
    BadInputError
        A ratio outside 0..1.

    Examples
    --------
    >>> quantile_ns(lambda ns: float(np.exp(-ns / 100.0)), [0.0, 0.99], 100.0).round(3)
    array([  0.   , 460.517])
    """
    ratios = np.asarray(ratio, dtype=np.float64)
    if not ((ratios >= 0.0) & (ratios < 1.0)).all():
        raise bad_input("ratio", ratio, why="a quantile is of a share of packets",
                        allowed="0 to below 1", do="write p99 as 0.99")  # fmt: skip
    found = [crossing(beyond, 1.0 - float(each), scale_ns) for each in ratios.ravel()]
    return np.reshape(np.asarray(found, dtype=np.float64), ratios.shape)
