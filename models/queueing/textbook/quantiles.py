"""Quantiles of a wait whose share beyond any time is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from linerate.errors import bad_input
from linerate.models.arrays import Array

DOUBLINGS_MAX = 60
TURNS_MAX = 200
TOLERANCE = 1e-9
"""Of a quantile, as a share of a time above it."""


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
    found = [_root(beyond, 1.0 - float(each), scale_ns) for each in ratios.ravel()]
    return np.reshape(np.asarray(found, dtype=np.float64), ratios.shape)


def _root(beyond: Callable[[float], float], share: float, scale_ns: float) -> float:
    """Find where a falling share is crossed: false position, with a bisection each third time.

    `scipy.optimize` has the like, and takes longer to load than all the rest of an answer.

    References
    ----------
    Dowell and Jarratt, A modified regula falsi method, BIT 11 (1971): the Illinois rule.
    """
    if beyond(0.0) <= share:
        return 0.0
    high_ns = scale_ns
    for _ in range(DOUBLINGS_MAX):
        if beyond(high_ns) < share:
            break
        high_ns *= 2.0
    low_ns, exact_ns = 0.0, TOLERANCE * high_ns
    above, below = beyond(low_ns) - share, beyond(high_ns) - share
    last = 0.0
    for turn in range(TURNS_MAX):
        if high_ns - low_ns <= exact_ns or below >= 0.0:
            break
        step = 0.5 if turn % 3 == 2 else above / (above - below)
        middle_ns = low_ns + (high_ns - low_ns) * step
        found = beyond(middle_ns) - share
        same_side = found * last > 0.0
        if found == 0.0:
            return middle_ns
        if found > 0.0:
            low_ns, above, below = middle_ns, found, below / (2.0 if same_side else 1.0)
        else:
            high_ns, below, above = middle_ns, found, above / (2.0 if same_side else 1.0)
        last = found
    return (low_ns + high_ns) / 2.0
