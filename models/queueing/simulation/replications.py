"""One simulation again and again, each time with other draws: what a single run may be off by."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from linerate.errors import bad_input
from linerate.models.side_by_side import side_by_side

T = TypeVar("T")


def replicate(
    simulate: Callable[..., T], *asked: object, count: int, rng: np.random.Generator
) -> tuple[T, ...]:
    """Simulate so many times, each with a generator of its own that is spawned from this one.

    Replications are independent, where batches of one run are only nearly so. They run on joblib's
    workers (``with joblib.parallel_config(n_jobs=2)``), with the same numbers however many there
    are; a generator that has spawned before spawns others.

    Parameters
    ----------
    simulate
        ``simulate_station``, ``simulate_core``, ``simulate_route``, or a function at the top of a
        module that calls one and keeps what is wanted of it: what it returns is carried
        from worker to caller.
    asked
        Its arguments before the generator.
    count
        How many times, at least 1.
    rng
        What draws.

    Raises
    ------
    BadInputError
        No replication at all.

    References
    ----------
    Law, Simulation Modeling and Analysis (2015), sec. 9.4.1.

    Examples
    --------
    >>> from linerate.models.queueing.simulation import Station, Traffic, simulate_station
    >>> paced = Station(service_time_ns=500.0, service_scv=0.0), Traffic(load_mpps=1.0, packets=100)
    >>> seen = replicate(simulate_station, *paced, count=3, rng=np.random.default_rng(0))
    >>> len({run.mean_ns for run in seen})
    3
    """
    if count < 1:
        raise bad_input("count", count, why="nothing would be simulated", allowed=">= 1",
                        do="name how many")  # fmt: skip
    return tuple(side_by_side(simulate, [(*asked, each) for each in rng.spawn(count)]))
