"""A smooth function through cells: a Gaussian process."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from linerate.models.learned.examples import FEATURES, Examples
from linerate.models.one_thread import one_thread
from linerate.models.runs.cells import Array, Codes
from linerate.models.runs.parameters import Parameter

AMPLITUDE_BOUNDS = (1e-3, 1e3)
LENGTH_BOUNDS = (0.1, 100.0)
"""Shortest and longest length scale of a feature, in its logarithm."""
NOISE_BOUNDS = (1e-4, 1.0)
"""Variance of the noise, as a share of that of what is learned."""
LENGTH_FIRST, NOISE_FIRST = 2.0, 1e-2
"""What the search begins with."""
SEARCHED_ALL = 200
"""Cells of a pair up to which its length scales are searched on all of them."""
SEARCHED_MAX = 100
"""Of more, so many are drawn evenly. A search takes the third power of them again and again, a
prediction once."""
KEPT = 64
"""Processes that are kept after they were first used; the oldest is forgotten."""
Theta = tuple[float, ...]
"""Logs of amplitude, length scale of each feature, and noise."""


def search_theta(examples: Examples, rng: np.random.Generator, *, centred: bool) -> Theta:
    """Find amplitude, length scales and noise that make what was seen most likely.

    Parameters
    ----------
    examples
        Cells, and what was seen of each.
    rng
        Draws ``SEARCHED_MAX`` of more than ``SEARCHED_ALL`` cells; all are predicted from.
    centred
        Whether the function returns to the mean of what was seen where nothing was; else to 0.

    References
    ----------
    Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), ch. 4.2 (a function
    once differentiable, as the smallest of several limits nearly is), ch. 5.4, ch. 8.3.3 (a
    subset of the data).
    """
    from sklearn.exceptions import ConvergenceWarning

    rows = _searched(len(examples), rng)
    features, scaled = examples.features[rows], _scaled(examples, centred=centred)[rows]
    with warnings.catch_warnings(), one_thread():
        # A length scale at its bound says that the feature does not matter: no failure.
        warnings.simplefilter("ignore", ConvergenceWarning)
        process = _process(features.shape[1]).fit(features, scaled)
    return tuple(map(float, process.kernel_.theta))


def _searched(examples: int, rng: np.random.Generator) -> Codes:
    """Rows that a search is given: all, or as many as it can bear, in their order."""
    if examples <= SEARCHED_ALL:
        return np.arange(examples)
    return np.sort(rng.choice(examples, SEARCHED_MAX, replace=False))


@lru_cache(maxsize=KEPT)
def _known(examples: Examples, theta: Theta, centred: bool) -> Any:  # noqa: ANN401 - no types
    process = _process(examples.features.shape[1], theta)
    return process.fit(examples.features, _scaled(examples, centred=centred))


def smooth(examples: Examples, theta: Theta, features: Array, *, centred: bool) -> Array:
    """Value of the function at n places, shape (n,).

    Parameters
    ----------
    examples
        Cells, and what was seen of each.
    theta
        From ``search_theta``.
    features
        Places, shape (n, 4).
    centred
        As in ``search_theta``.
    """
    shift, scale = _moments(examples, centred=centred)
    with one_thread():
        predicted = _known(examples, theta, centred).predict(features)
    return np.asarray(shift + scale * predicted, dtype=np.float64)


def _process(features: int, theta: Theta | None = None) -> Any:  # noqa: ANN401 - no types
    import sklearn.gaussian_process  # slow to load

    gaussian: Any = sklearn.gaussian_process  # what types it has forbid what its manual says
    kinds = gaussian.kernels
    kernel = kinds.ConstantKernel(1.0, AMPLITUDE_BOUNDS) * kinds.Matern(
        [LENGTH_FIRST] * features, LENGTH_BOUNDS, nu=1.5
    ) + kinds.WhiteKernel(NOISE_FIRST, NOISE_BOUNDS)
    if theta is None:
        return gaussian.GaussianProcessRegressor(kernel)
    known = kernel.clone_with_theta(np.asarray(theta))
    return gaussian.GaussianProcessRegressor(known, optimizer=None)


def _moments(examples: Examples, *, centred: bool) -> tuple[float, float]:
    shift = float(examples.seen.mean()) if centred else 0.0
    spread = float(np.sqrt(np.mean((examples.seen - shift) ** 2)))
    return shift, spread if spread > 0.0 else 1.0


def _scaled(examples: Examples, *, centred: bool) -> Array:
    shift, scale = _moments(examples, centred=centred)
    return (examples.seen - shift) / scale


def theta_parameters(
    examples: Sequence[Examples], thetas: Sequence[Theta]
) -> tuple[Parameter, ...]:
    """Name what was found of each pair; what is learned from data has no interval."""
    names = ("amplitude", *(f"length of {feature}" for feature in FEATURES), "noise")
    return tuple(
        Parameter(name=f"{own.pair}: {name}", value=float(np.exp(value)), lower=-np.inf,
                  upper=np.inf)
        for own, theta in zip(examples, thetas, strict=True)
        for name, value in zip(names, theta, strict=True)
    )  # fmt: skip
