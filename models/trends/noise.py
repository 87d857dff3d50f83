"""Noise of a series of campaigns: how far samples lie around a level, how long its tails are."""

from __future__ import annotations

import math

import numpy as np

from linerate.models.arrays import Array
from linerate.normal import MAD_DEVIATION

SPREAD_MIN = 1e-3
"""Of logarithms: samples that differ by less than a thousandth are as good as equal."""
FREEDOMS = np.array([2.0, 3.0, 5.0, math.inf])
"""Degrees of freedom of Student's t that noise may have; the last is the normal distribution."""
NAMED_BITS = np.array([3.0, 3.0, 2.0, 1.0])
"""What it takes to name each of these: one series in two is taken for normal beforehand."""
SCALES = np.geomspace(0.4, 2.5, 9)
"""Scales that noise may have, in those of the typical difference between neighbours."""
ROUNDS = 12
"""Of weighted means, each nearer to the likeliest level."""


def spread_of(samples: Array) -> float:
    """Estimate the noise of a series from the differences of neighbours, whatever its level does.

    Parameters
    ----------
    samples
        Shape (n,), natural logarithms.

    References
    ----------
    von Neumann, The mean square successive difference, Ann. Math. Stat. 12 (1941).
    """
    return float(spreads_of(samples))


def spreads_of(samples: Array) -> Array:
    """Do as ``spread_of`` for several series at once.

    Parameters
    ----------
    samples
        Shape (n, series), natural logarithms.

    Returns
    -------
    Shape (series,).
    """
    if len(samples) < 2:
        return np.full(samples.shape[1:], SPREAD_MIN)
    apart = np.mean(np.diff(samples, axis=0) ** 2, axis=0)
    return np.asarray(np.maximum(np.sqrt(apart / 2.0), SPREAD_MIN))


def level_bits(samples: Array, before: int, scale: float) -> float:
    """Bits that two levels save over one, each message with the noise that makes it shortest.

    Noise is Student's t of some degrees of freedom and some scale. Two slow campaigns in a row are
    a level where others lie close together, and are tails where others lie far out too.

    Parameters
    ----------
    samples
        Shape (n,), natural logarithms of rates, in order: of the level before and of the one after.
    before
        How many are of the level before.
    scale
        What noise typically is, as ``scale_of`` gives it for the whole series.

    References
    ----------
    Lange, Little, Taylor, Robust statistical modeling using the t distribution, J. Am. Stat. Assoc.
    84 (1989): the likeliest level by weighted means.
    """
    freedoms = np.repeat(FREEDOMS, len(SCALES))[:, None]
    scales = np.maximum(np.tile(scale * SCALES, len(FREEDOMS)), SPREAD_MIN)[:, None]
    named = np.repeat(NAMED_BITS, len(SCALES))
    whole = _bits(samples, freedoms, scales)
    parts = _bits(samples[:before], freedoms, scales)
    parts += _bits(samples[before:], freedoms, scales)
    return float(np.min(whole + named) - np.min(parts + named))


def scale_of(samples: Array) -> float:
    """Take the typical noise of a series: of the median difference of neighbours, not their mean.

    Parameters
    ----------
    samples
        Shape (n,), natural logarithms.

    References
    ----------
    Rousseeuw, Croux, Alternatives to the median absolute deviation, J. Am. Stat. Assoc. 88 (1993).
    """
    if len(samples) < 2:
        return SPREAD_MIN
    typical = float(np.median(np.abs(np.diff(samples)))) * MAD_DEVIATION / math.sqrt(2.0)
    return max(typical, SPREAD_MIN)


def _bits(samples: Array, freedoms: Array, scales: Array) -> Array:
    """Bits of samples around their likeliest level, for each noise; shape (noises,)."""
    found = [
        _around(samples, begin, freedoms, scales)
        for begin in (float(np.median(samples)), float(np.mean(samples)))
    ]
    return np.asarray(np.minimum(*found))


def _around(samples: Array, begin: float, freedoms: Array, scales: Array) -> Array:
    """Bits around the level to which weighted means lead from one; a likelihood may have two."""
    normal = np.isinf(freedoms)
    finite = np.where(normal, 1.0, freedoms)
    level = np.full_like(scales, begin)
    for _ in range(ROUNDS):
        weights = np.where(
            normal, 1.0, (finite + 1.0) / (finite + ((samples - level) / scales) ** 2)
        )
        level = (weights * samples).sum(axis=1, keepdims=True) / weights.sum(axis=1, keepdims=True)
    squares = ((samples - level) / scales) ** 2
    nats = np.where(normal, 0.5 * squares, 0.5 * (finite + 1.0) * np.log1p(squares / finite))
    nats += np.log(scales) + np.array([[_constant(float(one))] for one in freedoms[:, 0]])
    return np.asarray(nats.sum(axis=1) / math.log(2.0))


def _constant(freedom: float) -> float:
    """Logarithm of what a density of scale 1 is divided by."""
    if math.isinf(freedom):
        return 0.5 * math.log(2.0 * math.pi)
    half = 0.5 * (freedom + 1.0)
    return 0.5 * math.log(math.pi * freedom) + math.lgamma(0.5 * freedom) - math.lgamma(half)
