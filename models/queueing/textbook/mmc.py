"""Several servers on one queue: Erlang's formulas, and the waits of M/M/c."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linerate.errors import bad_input
from linerate.models.arrays import Array


def erlang_b(offered_erlangs: ArrayLike, servers: int) -> Array:
    """Share of arrivals lost where c servers have no queue, M/G/c/c.

    References
    ----------
    Gross and Harris, Fundamentals of Queueing Theory, 3rd ed. (1998), sec. 2.6; by the recursion
    over servers, in which nothing overflows.

    Examples
    --------
    >>> erlang_b(2.0, 3)
    array(0.21052632)
    """
    if servers < 1:
        raise bad_input("servers", servers, why="nobody would serve", allowed=">= 1",
                        do="name one")  # fmt: skip
    offered = np.asarray(offered_erlangs, dtype=np.float64)
    lost = np.ones_like(offered)
    for count in range(1, servers + 1):
        lost = offered * lost / (count + offered * lost)
    return np.asarray(lost)


def erlang_c(offered_erlangs: ArrayLike, servers: int) -> Array:
    """Share of arrivals that wait in M/M/c; 1 from saturation on.

    References
    ----------
    Kleinrock, Queueing Systems, vol. 1 (1975), eq. 3.40.

    Examples
    --------
    >>> erlang_c(2.0, 3)
    array(0.44444444)
    """
    rho = np.asarray(offered_erlangs, dtype=np.float64) / servers
    lost = erlang_b(offered_erlangs, servers)
    return np.asarray(np.where(rho < 1.0, lost / (1.0 - rho * (1.0 - lost)), 1.0))


def mmc_wait_ns(load_mpps: ArrayLike, service_time_ns: ArrayLike, servers: int) -> Array:
    """Mean wait in M/M/c, ns; inf from saturation on. ``load_mpps`` is that of all servers.

    Examples
    --------
    >>> mmc_wait_ns(20.0, 100.0, 3)
    array(44.44444444)
    """
    offered, drain_ns = _drain_ns(load_mpps, service_time_ns, servers)
    return np.asarray(erlang_c(offered, servers) * drain_ns)


def mmc_wait_ccdf(
    load_mpps: ArrayLike, service_time_ns: ArrayLike, servers: int, beyond_ns: ArrayLike
) -> Array:
    """Share of packets that wait longer in M/M/c: Erlang C times an exponential.

    References
    ----------
    Gross and Harris (1998), eq. 2.32.
    """
    offered, drain_ns = _drain_ns(load_mpps, service_time_ns, servers)
    longer = np.exp(-np.asarray(beyond_ns, dtype=np.float64) / drain_ns)
    return np.asarray(erlang_c(offered, servers) * longer)


def mmc_wait_quantile_ns(
    load_mpps: ArrayLike, service_time_ns: ArrayLike, servers: int, ratio: ArrayLike
) -> Array:
    """Quantile of the wait in M/M/c, ns; 0 where fewer wait at all, inf from saturation on.

    Examples
    --------
    >>> mmc_wait_quantile_ns(5.0, 100.0, 1, [0.4, 0.99])
    array([  0.        , 782.40460109])
    """
    offered, drain_ns = _drain_ns(load_mpps, service_time_ns, servers)
    excess = erlang_c(offered, servers) / (1.0 - np.asarray(ratio, dtype=np.float64))
    return _times(drain_ns, np.log(np.maximum(excess, 1.0)))


def _times(drain_ns: Array, log_excess: Array) -> Array:
    drain, excess = np.broadcast_arrays(drain_ns, log_excess)
    quantile = np.full(drain.shape, np.inf)
    np.multiply(drain, excess, out=quantile, where=np.isfinite(drain))
    return quantile


def _drain_ns(
    load_mpps: ArrayLike, service_time_ns: ArrayLike, servers: int
) -> tuple[Array, Array]:
    """Offered erlangs, and the mean wait of those who wait; inf from saturation on."""
    service = np.asarray(service_time_ns, dtype=np.float64)
    offered = np.asarray(load_mpps, dtype=np.float64) * service * 1e-3
    drain = np.full(offered.shape, np.inf)
    np.divide(service, servers - offered, out=drain, where=offered < servers)
    return offered, drain
