"""A smooth function through cells: a Gaussian process."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from threadpoolctl import threadpool_limits

from linerate.models.learned.examples import FEATURES, Examples
from linerate.models.runs.cells import Array
from linerate.models.runs.parameters import Parameter

AMPLITUDE_BOUNDS = (1e-3, 1e3)
LENGTH_BOUNDS = (0.1, 100.0)
"""Shortest and longest length scale of a feature, in its logarithm."""
NOISE_BOUNDS = (1e-4, 1.0)
"""Variance of the noise, as a share of that of what is learned."""
LENGTH_FIRST, NOISE_FIRST = 2.0, 1e-2
"""What the search begins with."""
THREADS = 1
"""Of linear algebra: on matrices this small, more wait for each other longer than they work."""
KEPT = 64
"""Functions whose weights are kept after they were first used; the oldest is forgotten."""
Theta = tuple[float, ...]
"""Logs of amplitude, length scale of each feature, and noise."""


def search_theta(examples: Examples, *, centred: bool) -> Theta:
    """Find amplitude, length scales and noise that make what was seen most likely.

    Parameters
    ----------
    examples
        Cells, and what was seen of each.
    centred
        Whether the function returns to the mean of what was seen where nothing was; else to 0.

    References
    ----------
    Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), ch. 4.2 (a function
    once differentiable, as the smallest of several limits nearly is), ch. 5.4; the search: Byrd et
    al., SIAM J. Sci. Comput. 16 (1995).
    """
    from scipy.optimize import Bounds, minimize  # slow to load

    from linerate.models.learned.matern import Likelihood  # so is what it rests on

    places = examples.features
    bounds = [AMPLITUDE_BOUNDS, *[LENGTH_BOUNDS] * places.shape[1], NOISE_BOUNDS]
    first = [1.0, *[LENGTH_FIRST] * places.shape[1], NOISE_FIRST]
    with threadpool_limits(THREADS):
        likelihood = Likelihood.of(places, _scaled(examples, centred=centred))
        found = minimize(likelihood, np.log(first), (), method="L-BFGS-B", jac=True,
                         bounds=Bounds(*np.log(bounds).T))  # fmt: skip
    return tuple(map(float, found.x))


@lru_cache(maxsize=KEPT)
def _weights(examples: Examples, theta: Theta, centred: bool) -> Array:
    from linerate.models.learned.matern import Likelihood  # slow to load

    seen = _scaled(examples, centred=centred)
    return Likelihood.of(examples.features, seen).weights(np.asarray(theta))


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
    from linerate.models.learned.matern import covariance, parts_of  # slow to load

    shift, scale = _moments(examples, centred=centred)
    amplitude, lengths, _ = parts_of(np.asarray(theta))
    with threadpool_limits(THREADS):
        weights = _weights(examples, theta, centred)
        between = covariance(features, examples.features, amplitude, lengths)
        return np.asarray(shift + scale * (between @ weights))


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
