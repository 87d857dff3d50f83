"""A smooth function's covariance, and how likely what was seen is under it, with its slopes.

Kept small: a search for length scales asks this thousands of times on a hundred cells, where a
general library takes three times as long for the same numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import lapack
from scipy.spatial.distance import cdist

from linerate.models.runs.cells import Array, Codes

JITTER = 1e-10
"""Added to each variance, so that cells that lie close can be told apart."""
ROOT = math.sqrt(3.0)


def covariance(
    one: Array, other: Array, amplitude: float, lengths: Array
) -> Array:  # fmt: skip
    """Covariance of a function once differentiable (Matern, 3/2), shape (n, m).

    Parameters
    ----------
    one, other
        Places, shapes (n, features) and (m, features).
    amplitude
        Variance of the function.
    lengths
        Of each feature, over how much the function changes.

    Examples
    --------
    >>> covariance(np.zeros((1, 1)), np.array([[0.0], [2.0]]), 2.0, np.ones(1)).round(3).tolist()
    [[2.0, 0.279]]
    """
    apart = ROOT * cdist(one / lengths, other / lengths)
    return np.asarray(amplitude * (1.0 + apart) * np.exp(-apart))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Likelihood:
    """How likely values at some places are, as a function of the logs of what is searched for."""

    places: Array
    """Shape (n, features)."""
    seen: Array
    """Values there, shape (n,)."""
    rows: Codes
    """Of each two places the later one: what lies below the diagonal, shape (pairs,)."""
    columns: Codes
    """The earlier one."""
    squares: Array
    """How far these two are apart in each feature, squared, shape (features, pairs)."""

    @classmethod
    def of(cls, places: Array, seen: Array) -> Self:
        """Measure once how far places lie apart."""
        rows, columns = np.tril_indices(len(places), -1)
        squares = np.ascontiguousarray(((places[rows] - places[columns]) ** 2).T)
        return cls(places=places, seen=seen, rows=rows, columns=columns, squares=squares)

    def weights(self, theta: Array) -> Array:
        """Weigh each place's covariance: their sum is the function, shape (n,).

        References
        ----------
        Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), eq. 2.25.
        """
        amplitude, lengths, noise = parts_of(theta)
        between, _ = self._between(amplitude, lengths)
        factor, _ = self._factor(between, amplitude + noise)
        return self._solved(factor)

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """Minus the log of how likely it is, and its slopes, shape (features + 2,).

        References
        ----------
        Rasmussen and Williams (2006), eqs. 5.8 and 5.9.
        """
        amplitude, lengths, noise = parts_of(theta)
        between, fading = self._between(amplitude, lengths)
        factor, failed = self._factor(between, amplitude + noise)
        if failed:  # nothing is likely here: the search turns back
            return np.inf, np.zeros(len(theta))
        weights = self._solved(factor)
        log_likelihood = (
            -0.5 * float(self.seen @ weights) - float(np.log(np.diagonal(factor)).sum())
            - 0.5 * len(self.seen) * math.log(2.0 * math.pi)
        )  # fmt: skip
        inverse = lapack.dpotri(factor, lower=0)[0].T
        pull = weights[self.rows] * weights[self.columns] - inverse[self.rows, self.columns]
        own = 0.5 * float((weights**2 - np.diagonal(inverse)).sum())
        slopes = np.empty(len(theta))
        slopes[0] = float(pull @ between) + own * amplitude
        slopes[1:-1] = 3.0 * (self.squares @ (pull * fading)) / lengths**2
        slopes[-1] = own * noise
        return -log_likelihood, -slopes

    def _between(self, amplitude: float, lengths: Array) -> tuple[Array, Array]:
        """Covariance of each two places, and the part of it that fades, shapes (pairs,)."""
        apart = ROOT * np.sqrt(lengths**-2.0 @ self.squares)
        fading = amplitude * np.exp(-apart)
        return (1.0 + apart) * fading, fading

    def _factor(self, between: Array, variance: float) -> tuple[Array, bool]:
        """Factor by Cholesky, and say whether there is none."""
        whole = np.zeros((len(self.seen), len(self.seen)))
        whole[self.rows, self.columns] = between
        np.fill_diagonal(whole, variance + JITTER)
        factor, failed = lapack.dpotrf(whole.T, lower=0, clean=0)
        return factor, bool(failed)

    def _solved(self, factor: Array) -> Array:
        return np.asarray(lapack.dpotrs(factor, self.seen, lower=0)[0])


def parts_of(theta: Array) -> tuple[float, Array, float]:
    """Take amplitude, lengths and noise from their logs.

    >>> parts_of(np.zeros(3))
    (1.0, array([1.]), 1.0)
    """
    values = np.exp(theta)
    return float(values[0]), values[1:-1], float(values[-1])
