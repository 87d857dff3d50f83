"""Waits in a finite queue with gamma service: how long, not only how long on average."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linerate.models.arrays import Array
from linerate.models.queueing.textbook.md1 import md1k_wait_ccdf
from linerate.models.queueing.textbook.mg1k import (
    CONSTANT_SCV,
    left_behind,
    refuse_impossible,
)


def mg1k_wait_ccdf(
    *, load_mpps: float, service_time_ns: float, service_scv: float, places: int,
    beyond_ns: ArrayLike,
) -> Array:  # fmt: skip
    """Share of the packets let in that wait longer than ``beyond_ns``.

    How many packets an arrival finds is exact; what they take is a gamma time with the mean and
    variance of a rest of service and n - 1 services. Exact for exponential service, and for
    constant service, which goes to ``md1k_wait_ccdf``; in between the rest is taken as
    independent of n. The p99 is within 10 % of simulation for scv of 0.25 to 4, K of 8 and 256 and
    loads of 0.3, 0.9 and 1.5 of capacity; for the mean take ``mg1k``, which is exact.

    Parameters
    ----------
    load_mpps, service_time_ns, service_scv, places
        As of ``mg1k``.

    Returns
    -------
    Shape of ``beyond_ns``.

    References
    ----------
    Takagi, Queueing Analysis, vol. 2 (1993), ch. 1, for what is approximated.
    """
    refuse_impossible(load_mpps, service_time_ns, service_scv, places)
    if service_scv < CONSTANT_SCV:
        return md1k_wait_ccdf(load_mpps, service_time_ns, places, beyond_ns)
    from scipy.special import gammaincc  # slow to load

    rho = load_mpps * service_time_ns * 1e-3
    # A packet that is let in finds what a departure leaves.
    found = left_behind(rho, service_scv, places)[1:]
    behind = np.arange(found.size)
    rest, rest_variance = _rest_moments(service_scv)
    mean = rest + behind
    shape = mean**2 / (rest_variance + behind * service_scv)
    services = np.asarray(beyond_ns, dtype=np.float64)[..., None] / service_time_ns
    return np.asarray(gammaincc(shape, services * shape / mean) @ found)


def _rest_moments(scv: float) -> tuple[float, float]:
    """Mean and variance of the rest of a gamma service of mean 1 that an arrival finds."""
    mean = (1.0 + scv) / 2.0
    second = (1.0 + scv) * (1.0 + 2.0 * scv) / 3.0
    return mean, second - mean**2
