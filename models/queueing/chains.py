"""Chains of stages: what gets through, what work is wasted, and direct against hub."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linerate.errors import bad_input
from linerate.models.cells import Array
from linerate.models.queueing.ggm import departure_scv, qna_wait_ns
from linerate.models.queueing.markov import mm1_sojourn_ns


def passed_mpps(offered_mpps: float, service_times_ns: ArrayLike, turns: ArrayLike) -> Array:
    """Rate behind each stage of a chain whose stages take turns on one core, shape (stages,).

    Each turn a stage has time for so many packets, and what it does not need goes to the others.
    A packet that a later stage drops has cost the earlier ones their work.

    Parameters
    ----------
    service_times_ns
        Of the stages, in their order.
    turns
        Packets that each stage may serve in one round: bursts of 64, or a time slice over its
        service time.

    References
    ----------
    Mogul and Ramakrishnan, Eliminating receive livelock in an interrupt-driven kernel, ACM Trans.
    Computer Systems 15 (1997); Bertsekas and Gallager, Data Networks, 2nd ed. (1992), sec. 6.5.2,
    for max-min fairness.

    Examples
    --------
    >>> passed_mpps(1.0, [50.0, 400.0], [64, 8])
    array([1., 1.])
    >>> passed_mpps(100.0, [50.0, 400.0], [64, 8])
    array([10.  ,  1.25])
    """
    services = np.asarray(service_times_ns, dtype=np.float64)
    most = np.asarray(turns, dtype=np.float64)
    if not offered_mpps > 0.0 or services.shape != most.shape or not (services > 0.0).all():
        raise bad_input("service_times_ns", services, why="each stage takes time and turns",
                        allowed="as many as turns, > 0", do="correct them")  # fmt: skip
    if offered_mpps * services.sum() <= 1e3:
        return np.full(services.shape, float(offered_mpps))

    def passed(rounds_per_us: float) -> Array:
        return np.minimum(offered_mpps, np.minimum.accumulate(most * rounds_per_us))

    low, high = 0.0, 1e3 / float(most @ services) * float(most.max() * services.size)
    high += offered_mpps
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if passed(middle) @ services <= 1e3 else (low, middle)
    return passed(low)


def own_cores_mpps(offered_mpps: float, service_times_ns: ArrayLike) -> Array:
    """Rate behind each stage where each has a core of its own, shape (stages,).

    Examples
    --------
    >>> own_cores_mpps(12.0, [50.0, 400.0, 100.0])
    array([12. ,  2.5,  2.5])
    """
    capacity = 1e3 / np.asarray(service_times_ns, dtype=np.float64)
    return np.minimum(offered_mpps, np.minimum.accumulate(capacity))


def wasted_ratio(behind_mpps: ArrayLike, service_times_ns: ArrayLike) -> float:
    """Share of the work that went into packets which a later stage dropped.

    Examples
    --------
    >>> wasted_ratio([10.0, 1.25], [50.0, 400.0])
    0.4375
    """
    behind = np.asarray(behind_mpps, dtype=np.float64)
    services = np.asarray(service_times_ns, dtype=np.float64)
    return 1.0 - float(behind[-1] * services.sum() / (behind @ services))


def tandem_sojourn_ns(
    load_mpps: float, service_times_ns: ArrayLike, gap_scv: float, service_scv: float
) -> Array:
    """Mean time at each stage of a chain without losses, each on its own core, shape (stages,).

    Exact for exponential service and Poisson arrivals (Jackson). For constant service the second
    and later stages are overestimated where they are no slower than the first: there nothing waits.

    References
    ----------
    Whitt, The queueing network analyzer, Bell System Technical Journal 62 (1983).

    Examples
    --------
    >>> tandem_sojourn_ns(5.0, [100.0, 50.0], 1.0, 1.0)
    array([200.        ,  66.66666667])
    """
    scv, times = gap_scv, []
    for service_ns in np.asarray(service_times_ns, dtype=np.float64):
        times.append(float(service_ns + qna_wait_ns(load_mpps, service_ns, 1, (scv, service_scv))))
        scv = float(departure_scv(load_mpps * service_ns * 1e-3, 1, (scv, service_scv)))
    return np.asarray(times, dtype=np.float64)


def direct_sojourn_ns(load_mpps: float, function_ns: float, functions: int) -> float:
    """Mean time through functions that send to each other, exponential services.

    Examples
    --------
    >>> direct_sojourn_ns(5.0, 100.0, 3)
    600.0
    """
    return functions * float(mm1_sojourn_ns(load_mpps, function_ns))


def hub_sojourn_ns(load_mpps: float, function_ns: float, functions: int, hub_ns: float) -> float:
    """Mean time where every hop passes one forwarder: before, between and behind the functions.

    The forwarder sees each packet once more than there are functions, so it saturates first: at
    ``1 / ((functions + 1) hub_ns)``.

    References
    ----------
    Jackson, Jobshop-like queueing systems, Management Science 10 (1963): loads of visits add up,
    and the stations wait as if alone.

    Examples
    --------
    >>> hub_sojourn_ns(5.0, 100.0, 3, 25.0)
    800.0
    """
    visits = functions + 1
    hop_ns = visits * float(mm1_sojourn_ns(load_mpps * visits, hub_ns))
    return direct_sojourn_ns(load_mpps, function_ns, functions) + hop_ns
