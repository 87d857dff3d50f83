"""General arrivals before several exponential servers, exactly."""

from __future__ import annotations

import numpy as np

from linerate.models.queueing.textbook.paced import gim1_found_busy_ratio
from linerate.models.queueing.textbook.transforms import gamma_cumulant

NEAR, STEP = 1e-7, 1e-5
"""How near a term comes to 0 / 0 before its neighbours are taken, and how far these lie off."""


def gimm_waiting(
    load_mpps: float, service_time_ns: float, servers: int, gap_scv: float
) -> tuple[float, float]:
    """Share of packets that wait in GI/M/m with gamma gaps, and their mean wait, ns.

    The wait of those who wait is exponential.

    Parameters
    ----------
    load_mpps
        Of all servers together.
    gap_scv
        Squared coefficient of variation of the gaps: 0 paced, 1 Poisson.

    Raises
    ------
    BadInputError
        A load of 0, or from saturation on.

    References
    ----------
    Takacs, Introduction to the Theory of Queues (1962), ch. 2; Gross and Harris, Fundamentals of
    Queueing Theory, 3rd ed. (1998), sec. 5.3.2.

    Examples
    --------
    >>> np.round(gimm_waiting(20.0, 100.0, 3, 1.0), 6).tolist()
    [0.444444, 100.0]
    """
    sigma = gim1_found_busy_ratio(load_mpps, service_time_ns / servers, gap_scv)
    left = servers * (1.0 - sigma)
    near = round(left) < servers and abs(left - round(left)) < NEAR
    # A term is 0 / 0 there; its limit lies between the neighbours.
    loads_mpps = [load_mpps * (1.0 + side * STEP) for side in (-1.0, 1.0)] if near else [load_mpps]
    shares = [_waiting_ratio(mpps, service_time_ns, servers, gap_scv) for mpps in loads_mpps]
    return float(np.mean(shares)), service_time_ns / left


def _waiting_ratio(load_mpps: float, service_time_ns: float, servers: int, gap_scv: float) -> float:
    from scipy.special import comb  # slow to load

    sigma = gim1_found_busy_ratio(load_mpps, service_time_ns / servers, gap_scv)
    left, product, inverse = servers * (1.0 - sigma), 1.0, 1.0 / (1.0 - sigma)
    for busy in range(1, servers + 1):
        none_ends = float(np.exp(gamma_cumulant(1e3 / load_mpps, gap_scv, -busy / service_time_ns)))
        product *= none_ends / (1.0 - none_ends)
        if busy < servers:
            held = (servers * (1.0 - none_ends) - busy) / (left - busy)
        else:
            held = none_ends / sigma
        inverse += float(comb(servers, busy)) * held / (product * (1.0 - none_ends))
    return 1.0 / (inverse * (1.0 - sigma))
