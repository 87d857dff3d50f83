"""Whether one model is better than another on the same runs held out, by more than chance.

References
----------
Nadeau and Bengio, Inference for the generalization error, Machine Learning 52 (2003).
"""

from __future__ import annotations

import numpy as np

from linerate.models.runs.cells import Array


def chance_of(gain: Array, folds: int) -> float:
    """Chance of such a gain of a model that is no better, one-sided.

    Folds share most of what they learn from, so that their gains are not independent: the variance
    of their mean is taken to be larger by the ratio of what a fold answers for to what it learns
    from, 1 / (folds - 1).

    Parameters
    ----------
    gain
        Mean error of the other model less that of this one, of each fold of one dealing or several,
        shape (n,). One alone tells nothing of chance.
    folds
        Of a dealing.

    >>> alike = chance_of(np.array([0.01, -0.01, 0.02, -0.02, 0.0]), 5)
    >>> better = chance_of(np.array([0.05, 0.06, 0.04, 0.05, 0.05]), 5)
    >>> round(alike, 2), better < 0.01
    (0.5, True)
    """
    from scipy.special import stdtr  # slow to load

    if gain.size < 2:
        return 1.0
    deviation = np.sqrt(gain.var(ddof=1) * (1.0 / gain.size + 1.0 / (folds - 1)))
    if not deviation:
        return 0.0 if gain.mean() > 0.0 else 1.0
    return float(stdtr(gain.size - 1, -gain.mean() / deviation))
