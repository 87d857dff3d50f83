"""Closed forms of queues with exponential service."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linerate.models.arrays import Array


def mm1_sojourn_ns(load_mpps: ArrayLike, service_time_ns: ArrayLike) -> Array:
    """Mean time in an M/M/1 system, ns; inf from saturation on.

    References
    ----------
    Kleinrock, Queueing Systems, vol. 1 (1975), eq. 3.26.

    Examples
    --------
    >>> mm1_sojourn_ns([5.0, 10.0], 100.0)
    array([200.,  inf])
    """
    load, service = np.broadcast_arrays(load_mpps, np.asarray(service_time_ns, dtype=np.float64))
    rho = load * service * 1e-3
    sojourn = np.full(rho.shape, np.inf)
    np.divide(service, 1.0 - rho, out=sojourn, where=rho < 1.0)
    return sojourn


def _mm1k_states(rho: Array, places: int) -> Array:
    """Probability of 0..places packets in the system, shape (..., places + 1)."""
    count = np.arange(places + 1)
    # Scaled to the likelier end, so that no power overflows.
    ratio = np.minimum(rho, 1.0 / np.maximum(rho, 1e-300))[..., None]
    exponent = np.where(rho[..., None] <= 1.0, count, places - count)
    weight = np.power(ratio, exponent)
    return np.asarray(weight / weight.sum(axis=-1, keepdims=True))


def mm1k_loss_ratio(load_mpps: ArrayLike, service_time_ns: ArrayLike, places: int) -> Array:
    """Share of arrivals that find an M/M/1/K system full.

    Parameters
    ----------
    load_mpps, service_time_ns
        Shapes that broadcast.
    places
        K: packets in the system, the one in service included.

    References
    ----------
    Kleinrock (1975), eq. 3.43: ``(1 - rho) rho^K / (1 - rho^(K + 1))``.

    Examples
    --------
    >>> mm1k_loss_ratio([5.0, 10.0], 100.0, 1)
    array([0.33333333, 0.5       ])
    """
    rho = np.asarray(load_mpps, dtype=np.float64) * np.asarray(service_time_ns) * 1e-3
    return np.asarray(_mm1k_states(rho, places)[..., -1])


def mm1k_sojourn_ns(load_mpps: ArrayLike, service_time_ns: ArrayLike, places: int) -> Array:
    """Mean time of the packets that get into an M/M/1/K system, ns.

    References
    ----------
    Gross and Harris, Fundamentals of Queueing Theory, 3rd ed. (1998), sec. 2.4.

    Examples
    --------
    >>> mm1k_sojourn_ns(5.0, 100.0, 1)
    array(100.)
    """
    load = np.asarray(load_mpps, dtype=np.float64)
    states = _mm1k_states(load * np.asarray(service_time_ns) * 1e-3, places)
    inside = states @ np.arange(places + 1)
    return np.asarray(inside / (load * 1e-3 * (1.0 - states[..., -1])))
