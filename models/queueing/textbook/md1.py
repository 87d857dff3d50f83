"""Waits of M/D/1 and M/D/1/K to the last digit: constant service, Poisson arrivals."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linerate.errors import bad_input
from linerate.models.arrays import Array
from linerate.models.queueing.textbook.mg1k import PLACES_MAX, left_behind, log_factorials

TAIL = 1e-14
"""Chance that is neglected where the queue has no end."""


def md1_wait_ccdf(load_mpps: float, service_time_ns: float, beyond_ns: ArrayLike) -> Array:
    """Share of packets that wait longer than ``beyond_ns`` in M/D/1.

    Parameters
    ----------
    load_mpps, service_time_ns
        Below saturation; up to 99.7 % of it, beyond which the queue is too long to list.
    beyond_ns
        Waits, any shape.

    Raises
    ------
    BadInputError
        A load from 99.7 % of saturation on.

    References
    ----------
    Erlang (1909) and Crommelin (1932) give a sum of alternating terms that loses all digits for
    long waits. This is the sum of Franx, A simple solution for the M/D/c waiting time
    distribution, Operations Research Letters 29 (2001), whose terms are all positive.

    Examples
    --------
    >>> md1_wait_ccdf(5.0, 100.0, [0.0, 50.0])
    array([0.5       , 0.35798729])
    """
    rho = load_mpps * service_time_ns * 1e-3
    states = _states_listed(rho)
    within = _within(rho, states, np.asarray(beyond_ns, dtype=np.float64) / service_time_ns)
    return np.clip(1.0 - within, 0.0, 1.0)


def md1k_wait_ccdf(
    load_mpps: float, service_time_ns: float, places: int, beyond_ns: ArrayLike
) -> Array:
    """Share of the packets let in that wait longer than ``beyond_ns`` in M/D/1/K, also in overload.

    With constant service a packet is let in exactly when the work before it is at most K - 1
    services, and below that limit the density of work is M/D/1's but for a factor: level
    crossings from below never see the limit.

    Parameters
    ----------
    places
        K: packets in the system, the one in service included.

    References
    ----------
    Brill, Level Crossing Methods in Stochastic Models (2008), ch. 3; Franx (2001) for the density.

    Examples
    --------
    >>> md1k_wait_ccdf(20.0, 100.0, 1, [0.0])
    array([0.])
    """
    rho = load_mpps * service_time_ns * 1e-3
    weights = left_behind(rho, 0.0, places)
    waits = np.asarray(beyond_ns, dtype=np.float64) / service_time_ns
    inside = waits < places - 1.0
    within = _within(rho, weights, np.where(inside, waits, 0.0)) / weights.sum()
    return np.where(inside, np.clip(1.0 - within, 0.0, 1.0), 0.0)


def _states_listed(rho: float) -> Array:
    """Probability of 0, 1, .. packets in M/D/1, as far as any are likely."""
    if not 0.0 < rho <= 0.997:
        raise bad_input("load_mpps", f"{rho:.3g} of saturation", why="the queue has no such state",
                        allowed="above 0, to 0.997 of saturation",
                        do="lower it, or give the queue an end")  # fmt: skip
    # Below saturation the tail falls by about exp(-2 (1 - rho)) a packet.
    places = int(min(40 - np.log(TAIL) / (2.0 * (1.0 - rho)), PLACES_MAX))
    weights = left_behind(rho, 0.0, places)
    return np.asarray(weights * ((1.0 - rho) / weights[0]))


def _within(rho: float, states: Array, services: ArrayLike) -> Array:
    """Chance (or weight) of a wait of at most so many services; states are of 0, 1, .. packets."""
    waits = np.asarray(services, dtype=np.float64)
    # At most m packets wait where at most m + 1 are inside.
    at_most = np.cumsum(states)
    found = [_franx(rho, at_most, float(wait)) for wait in waits.ravel()]
    return np.reshape(np.asarray(found, dtype=np.float64), waits.shape)


def _franx(rho: float, at_most: Array, wait: float) -> float:
    """Sum over the packets that arrive in the rest of the k-th service time."""
    steps = int(np.floor(wait)) + 1
    index = np.arange(steps)
    rest = rho * (steps - wait)
    log_poisson = index * np.log(rest) - rest - log_factorials(steps)
    inside = np.minimum(steps - index, at_most.size - 1)
    return float(at_most[inside] @ np.exp(log_poisson))
