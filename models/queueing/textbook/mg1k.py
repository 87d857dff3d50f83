"""M/G/1/K exactly, by the chain embedded at departures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from linerate.errors import bad_input
from linerate.models.arrays import Array

PLACES_MAX = 16384
"""The recursion takes about K^2 / 2 steps; rings are smaller than this."""


CONSTANT_SCV = 1e-7
"""Service that varies less is constant: the negative binomial loses its digits there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Steady state of one finite queue."""

    loss_ratio: float
    """Share of arrivals that find the system full."""
    mean_packets: float
    """Packets in the system over time, the one in service included."""
    sojourn_ns: float
    """Mean time in the system of the packets that get in."""
    wait_ns: float
    """Mean time before service of the packets that get in."""
    busy_ratio: float
    """Share of time that the server works."""


def mg1k(*, load_mpps: float, service_time_ns: float, service_scv: float, places: int) -> Queue:
    """Solve a queue with Poisson arrivals, gamma service and room for K packets.

    Parameters
    ----------
    load_mpps
        Arrival rate at this queue.
    service_time_ns
        Mean service time.
    service_scv
        Its squared coefficient of variation: 0 constant (M/D/1/K), 1 exponential (M/M/1/K).
    places
        K: packets in the system, the one in service included.

    Raises
    ------
    BadInputError
        A negative or endless number, or a K outside 1..16384.

    References
    ----------
    Gross and Harris, Fundamentals of Queueing Theory, 3rd ed. (1998), sec. 5.1.8; Cooper,
    Introduction to Queueing Theory, 2nd ed. (1981), sec. 5.9. The number that arrives during a
    gamma service is negative binomial.

    Examples
    --------
    >>> queue = mg1k(load_mpps=5.0, service_time_ns=100.0, service_scv=1.0, places=1)
    >>> round(queue.loss_ratio, 4)
    0.3333
    """
    refuse_impossible(load_mpps, service_time_ns, service_scv, places)
    rho = load_mpps * service_time_ns * 1e-3
    left = left_behind(rho, service_scv, places)
    # p(n) = left(n) / (left(0) + rho) for n < K: a departing packet sees what an arriving one does.
    norm = float(left[0]) + rho
    inside = np.append(left / norm, max(1.0 - 1.0 / norm, 0.0))
    loss_ratio = float(inside[-1])
    mean_packets = float(inside @ np.arange(places + 1))
    sojourn_ns = mean_packets / (load_mpps * 1e-3 * (1.0 - loss_ratio))
    return Queue(
        loss_ratio=loss_ratio, mean_packets=mean_packets, sojourn_ns=sojourn_ns,
        wait_ns=max(sojourn_ns - service_time_ns, 0.0), busy_ratio=1.0 - float(inside[0]),
    )  # fmt: skip


def refuse_impossible(load: float, service: float, scv: float, places: int) -> None:
    """Raise BadInputError for what no finite queue can be."""
    for name, value in (("load_mpps", load), ("service_time_ns", service)):
        if not (0.0 < value < np.inf):
            raise bad_input(name, value, why="a queue needs a positive, finite one",
                            allowed="> 0", do="correct it")  # fmt: skip
    if not (0.0 <= scv < np.inf):
        raise bad_input("service_scv", scv, why="a variance is not negative", allowed=">= 0",
                        do="correct it")  # fmt: skip
    if not 1 <= places <= PLACES_MAX:
        raise bad_input("places", places, why="that many cannot be solved for",
                        allowed=f"1..{PLACES_MAX}", do="name the size of a ring")  # fmt: skip


def arrivals(rho: float, scv: float, places: int) -> tuple[float, Array]:
    """Chance of no arrival during one service, and of more than 0..places - 1."""
    count = np.arange(places)
    if scv < CONSTANT_SCV:
        return float(np.exp(-rho)), poisson_more(rho, places)
    from scipy.special import betainc  # slow to load

    shape, chance = 1.0 / scv, 1.0 / (1.0 + scv * rho)
    # Poisson arrivals over a gamma time are negative binomial.
    more = betainc(count + 1.0, shape, 1.0 - chance)
    return float(chance**shape), np.asarray(more, dtype=np.float64)


def poisson_more(rho: float, places: int) -> Array:
    """Chance of more than 0..places - 1 arrivals where so many are expected, to its last digits.

    Only positive terms are added, so that nothing cancels; `scipy.special` is slow to load.
    """
    if rho > 4.0 * places + 1e3:  # fewer than e^-800 find room
        return np.ones(places)
    count = np.arange(places + int(rho + 40.0 * rho**0.5) + 60)
    chance = np.exp(count * np.log(rho) - rho - log_factorials(count.size))
    return np.asarray(np.minimum(np.cumsum(chance[:0:-1])[::-1][:places], 1.0))


@lru_cache(maxsize=8)
def log_factorials(size: int) -> Array:
    """Logarithms of 0!, 1!, .. (size - 1)!."""
    found = np.cumsum(np.log(np.maximum(np.arange(size), 1)))
    found.setflags(write=False)
    return found


@lru_cache(maxsize=64)
def left_behind(rho: float, scv: float, places: int) -> Array:
    """Probability of 0..K-1 packets left behind by a departure; a quantile asks for it often."""
    found = after_departure(*arrivals(rho, scv, places))
    found.setflags(write=False)
    return found


def after_departure(none: float, more: Array) -> Array:
    """Probability of 0..K-1 packets left behind by a departure.

    Across the cut between n and n + 1 packets, the flow up equals the flow down: only positive
    terms, so that nothing cancels; rescaled on the way, so that overload does not overflow.
    """
    weight = np.zeros(more.size)
    weight[0] = 1.0
    for state in range(more.size - 1):
        up = weight[0] * more[state] + weight[1 : state + 1] @ more[state:0:-1]
        weight[state + 1] = up / max(none, 1e-300)
        if weight[state + 1] > 1e100:
            weight[: state + 2] /= weight[state + 1]
    return np.asarray(weight / weight.sum())
