"""Paced arrivals: a generator at constant rate before a server, and many of them before one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linerate.errors import bad_input
from linerate.models.arrays import Array
from linerate.models.queueing.textbook.transforms import gamma_cumulant


def gim1_found_busy_ratio(load_mpps: float, service_time_ns: float, gap_scv: float = 0.0) -> float:
    """Share of packets that wait in GI/M/1 with gamma gaps: D/M/1 where the gaps are constant.

    With it everything is known: the wait is 0, or exponential of mean ``s / (1 - sigma)``.

    Raises
    ------
    BadInputError
        A load of 0, or from saturation on.

    References
    ----------
    Kleinrock, Queueing Systems, vol. 1 (1975), eq. 6.15: the root of ``sigma = A*(mu - mu sigma)``.

    Examples
    --------
    >>> round(gim1_found_busy_ratio(5.0, 100.0), 6)
    0.203188
    """
    from scipy.optimize import brentq  # slow to load

    if not 0.0 < load_mpps * service_time_ns < 1e3:
        raise bad_input("load_mpps", load_mpps, why="the queue would grow without end",
                        allowed=f"above 0, below {1e3 / service_time_ns:.4g}",
                        do="lower it")  # fmt: skip

    def excess(sigma: float) -> float:
        rate = (1.0 - sigma) / service_time_ns
        return float(np.exp(gamma_cumulant(1e3 / load_mpps, gap_scv, -rate))) - sigma

    return float(brentq(excess, 0.0, 1.0 - 1e-12, xtol=1e-15)) if excess(1 - 1e-12) < 0 else 1.0


def gim1_wait_ns(load_mpps: float, service_time_ns: float, gap_scv: float = 0.0) -> float:
    """Mean wait in GI/M/1 with gamma gaps, D/M/1 by default, ns."""
    sigma = gim1_found_busy_ratio(load_mpps, service_time_ns, gap_scv)
    return service_time_ns * sigma / (1.0 - sigma)


def gim1_wait_ccdf(
    load_mpps: float, service_time_ns: float, gap_scv: float, beyond_ns: ArrayLike
) -> Array:
    """Share of packets that wait longer in GI/M/1."""
    sigma = gim1_found_busy_ratio(load_mpps, service_time_ns, gap_scv)
    beyond = np.asarray(beyond_ns, dtype=np.float64)
    return np.asarray(sigma * np.exp(-beyond * (1.0 - sigma) / service_time_ns))


def paced_streams_ccdf(streams: int, period_services: float, beyond_services: ArrayLike) -> Array:
    """Share of time that more work waits, of n paced streams of random phases: n*D/D/1.

    One paced stream before constant service never waits below saturation. Several do, however
    evenly each is paced, because their phases do not know of each other.

    Parameters
    ----------
    streams
        Streams of one packet each period.
    period_services
        Their period in service times, above ``streams``.
    beyond_services
        Work in service times, any shape.

    Raises
    ------
    BadInputError
        More streams than the period has room for.

    References
    ----------
    Roberts, Mocci and Virtamo (eds.), Broadband Network Teletraffic (1996), sec. 15.1; Eckberg,
    IEEE Trans. Communications 27 (1979).

    Examples
    --------
    >>> paced_streams_ccdf(1, 2.0, [0.0, 0.5, 1.0])
    array([0.5 , 0.25, 0.  ])
    """
    from scipy.special import gammaln  # slow to load

    if not 1 <= streams < period_services:
        raise bad_input("streams", streams, why="they bring more than can be served",
                        allowed=f"1 to below {period_services:g}", do="lower it")  # fmt: skip
    beyond = np.asarray(beyond_services, dtype=np.float64)
    count = np.arange(1, streams + 1)
    over = count - beyond[..., None]
    share = np.where(over > 0.0, over, 0.5) / period_services
    log_choose = gammaln(streams + 1) - gammaln(count + 1) - gammaln(streams - count + 1)
    log_term = log_choose + count * np.log(share) + (streams - count) * np.log1p(-share)
    left = (period_services - streams + beyond[..., None]) / (period_services * (1.0 - share))
    return np.asarray(np.where(over > 0.0, np.exp(log_term) * left, 0.0).sum(axis=-1))
