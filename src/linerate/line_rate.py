"""When a rate counts as line rate, as less, and as more than can be: for every part alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

SUSTAINED_RATIO = 0.99
"""Share of line rate, or of another ceiling, that counts as all of it."""
SATURATING_RATIO = 0.999
"""Share of line rate from which an offered load is not a limit of its own."""
TOLERANCE_RATIO = 1.001
"""Over line rate that clocks and counters explain."""
LIKELY = 0.5
"""Probability from which line rate is predicted to be sustained."""


def sustains(forwarded_mpps: ArrayLike, line_mpps: ArrayLike) -> NDArray[np.bool_]:
    """Whether rates are line rate, or all that another ceiling lets through.

    >>> sustains([14.8, 14.0], 14.88)
    array([ True, False])
    """
    return np.asarray(np.asarray(forwarded_mpps) >= SUSTAINED_RATIO * np.asarray(line_mpps))


def likely_sustained(probability: ArrayLike) -> NDArray[np.bool_]:
    """Whether line rate is predicted to be sustained: more likely than not."""
    return np.asarray(np.asarray(probability) >= LIKELY)


def exceeds(rate_mpps: ArrayLike, line_mpps: ArrayLike) -> NDArray[np.bool_]:
    """Whether rates are above line rate by more than clocks explain.

    >>> exceeds([14.89, 15.0], 14.88)
    array([False,  True])
    """
    return np.asarray(np.asarray(rate_mpps) > TOLERANCE_RATIO * np.asarray(line_mpps))


def holds(
    lower_mpps: ArrayLike, upper_mpps: ArrayLike, measured_mpps: ArrayLike, line_mpps: ArrayLike
) -> NDArray[np.bool_]:
    """Whether intervals hold what was measured, of which clocks may make more than line rate.

    >>> holds(14.0, 14.88, [14.89, 13.0], 14.88)
    array([ True, False])
    """
    measured = np.minimum(np.asarray(measured_mpps), np.asarray(line_mpps))
    return np.asarray((np.asarray(lower_mpps) <= measured) & (measured <= np.asarray(upper_mpps)))
