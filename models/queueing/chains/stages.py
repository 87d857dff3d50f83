"""Chains of stages: what gets through, what work is wasted, and direct chains against a star."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linerate.errors import bad_input
from linerate.models.arrays import Array
from linerate.models.queueing.textbook.ggm import departure_scv, qna_wait_ns
from linerate.models.queueing.textbook.markov import mm1_sojourn_ns
from linerate.models.queueing.textbook.mg1k import CONSTANT_SCV, Queue, mg1k


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

    A flow without chance: held against simulation of two and three stages with bursts for about
    3200 ns each and rings of 256, offered 1 to 20 Mpps: rates within 3 %, wasted work within 0.02.
    Rings of few packets lose more than it says within 10 % of capacity.

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

    A flow without chance: within 1 % of simulation for rings of 64 and more, 14 % too high for
    rings of 8 at capacity: ``finite_tandem`` knows the ring.

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

    Exact for exponential service and Poisson arrivals (Jackson), and for constant service and
    Poisson arrivals: what leaves a stage is never closer than its service, so that only a slower
    one makes it wait again, and all waits together are those of the slowest stage alone. In
    between within 3 % of simulation for service scv of 0.5 and two to five stages, and of 2 and two
    or three (five: 4 %); scv of 0.25 and 4 are up to 6 % off, 8 % with five stages.

    References
    ----------
    Whitt, The queueing network analyzer, Bell System Technical Journal 62 (1983); Friedman,
    Reduction methods for tandem queuing systems, Operations Research 13 (1965), for constant
    service.

    Examples
    --------
    >>> tandem_sojourn_ns(5.0, [100.0, 50.0], 1.0, 1.0)
    array([200.        ,  66.66666667])
    """
    services_ns = np.asarray(service_times_ns, dtype=np.float64)
    if service_scv < CONSTANT_SCV:
        slowest_ns = np.maximum.accumulate(services_ns)
        so_far_ns = qna_wait_ns(load_mpps, slowest_ns, 1, (gap_scv, service_scv))
        return services_ns + np.diff(so_far_ns, prepend=0.0)
    scv, times = gap_scv, []
    for service_ns in services_ns:
        times.append(float(service_ns + qna_wait_ns(load_mpps, service_ns, 1, (scv, service_scv))))
        scv = float(departure_scv(load_mpps * service_ns * 1e-3, 1, (scv, service_scv)))
    return np.asarray(times, dtype=np.float64)


def finite_tandem(
    load_mpps: float, service_times_ns: ArrayLike, service_scv: float, places: int
) -> tuple[Queue, ...]:
    """Solve a chain whose stages, each on a core of its own, have room for K packets each.

    Stage by stage: each is taken as M/G/1/K, offered at random what the one before passes. Held
    against simulation for two and three stages, service scv of 0 to 2, K of 8, 64 and 256, loads of
    0.6 to 6 times the capacity: rates within 2 % (scv up to 1: within 1 %), where
    ``own_cores_mpps`` is up to 14 % too high at K = 8 near capacity; mean sojourns of all stages
    together within 4 % for scv of 0.5 to 2 (K = 8 in overload 6 %), and up to 6 % too long for
    constant service, for which ``tandem_sojourn_ns`` is exact while nothing is lost.

    Parameters
    ----------
    load_mpps
        Offered to the first stage, Poisson.
    places
        K of each stage, the packet in service included.

    Returns
    -------
    Steady state of each stage; ``loss_ratio`` is of what the stage before passes.

    Examples
    --------
    >>> [round(stage.loss_ratio, 4) for stage in finite_tandem(9.0, [50.0, 200.0], 0.0, 64)]
    [0.0, 0.4444]
    """
    stages: list[Queue] = []
    for service_ns in np.asarray(service_times_ns, dtype=np.float64):
        stages.append(mg1k(load_mpps=load_mpps, service_time_ns=float(service_ns),
                           service_scv=service_scv, places=places))  # fmt: skip
        load_mpps *= 1.0 - stages[-1].loss_ratio
    return tuple(stages)


def direct_sojourn_ns(load_mpps: float, function_ns: float, functions: int) -> float:
    """Mean time through functions that send to each other, exponential services.

    Examples
    --------
    >>> direct_sojourn_ns(5.0, 100.0, 3)
    600.0
    """
    return functions * float(mm1_sojourn_ns(load_mpps, function_ns))


def star_sojourn_ns(
    load_mpps: float, function_ns: float, functions: int, forwarder_ns: float
) -> float:
    """Mean time in a star: one forwarder (RFC 7665's SFF) before, between and behind functions.

    Exact for exponential services; how it is spread: ``times.star_ccdf``.

    The forwarder sees each packet once more than there are functions, so it saturates first: at
    ``1 / ((functions + 1) forwarder_ns)``.

    References
    ----------
    Jackson, Jobshop-like queueing systems, Management Science 10 (1963): loads of visits add up,
    and the stations wait as if alone.

    Examples
    --------
    >>> star_sojourn_ns(5.0, 100.0, 3, 25.0)
    800.0
    """
    visits = functions + 1
    hop_ns = visits * float(mm1_sojourn_ns(load_mpps * visits, forwarder_ns))
    return direct_sojourn_ns(load_mpps, function_ns, functions) + hop_ns
