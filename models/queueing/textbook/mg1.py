"""Mean waits of queues without an end to their buffer."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linerate.models.arrays import Array


def mg1_wait_ns(load_mpps: ArrayLike, service_time_ns: ArrayLike, service_scv: ArrayLike) -> Array:
    """Mean wait in an M/G/1 queue (Pollaczek-Khinchine), ns; inf from saturation on.

    Parameters
    ----------
    load_mpps, service_time_ns
        Shapes that broadcast.
    service_scv
        Squared coefficient of variation of the service time: 0 constant, 1 exponential.

    References
    ----------
    Kleinrock, Queueing Systems, vol. 1 (1975), eq. 5.74.

    Examples
    --------
    >>> mg1_wait_ns([5.0, 10.0], 100.0, 1.0)
    array([100.,  inf])
    """
    load, service = np.broadcast_arrays(load_mpps, np.asarray(service_time_ns, dtype=np.float64))
    rho = load * service * 1e-3
    wait = np.full(rho.shape, np.inf)
    work = rho * service * (1.0 + np.asarray(service_scv, dtype=np.float64))
    np.divide(work, 2.0 * (1.0 - rho), out=wait, where=rho < 1.0)
    return wait


def md1_wait_ns(load_mpps: ArrayLike, service_time_ns: ArrayLike) -> Array:
    """Mean wait in an M/D/1 queue, ns; inf from saturation on.

    References
    ----------
    Kleinrock (1975), ch. 5, eq. 5.74 without variance.

    Examples
    --------
    >>> md1_wait_ns([5.0, 10.0], 100.0)
    array([50., inf])
    """
    return mg1_wait_ns(load_mpps, service_time_ns, 0.0)


def mg1_burst_wait_ns(
    load_mpps: ArrayLike, service_time_ns: ArrayLike, service_scv: ArrayLike, burst_packets: float
) -> Array:
    """Mean wait where packets arrive in Poisson bursts of fixed length, M[b]/G/1, ns.

    To the wait of single packets comes that behind the others of one's own burst, b - 1 over 2
    services on average, and what the bursts' unevenness does to the queue.

    Examples
    --------
    >>> mg1_burst_wait_ns(5.0, 100.0, 0.0, 4)
    array(350.)

    References
    ----------
    Gross and Harris, Fundamentals of Queueing Theory, 3rd ed. (1998), sec. 5.1.9 (bulk input).
    """
    service = np.asarray(service_time_ns, dtype=np.float64)
    single = mg1_wait_ns(load_mpps, service, service_scv)
    rho = np.asarray(load_mpps, dtype=np.float64) * service * 1e-3
    left = np.maximum(1.0 - rho, 1e-300)
    return np.asarray(single + np.where(rho < 1.0, (burst_packets - 1) * service / (2 * left), 0.0))
