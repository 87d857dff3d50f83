"""A filter's counter over time, as a monitor beside the device would see it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np

from linerate.measure.datapaths.filters import DropCount

INTERVAL_S = 0.1
"""Between two looks at the counter."""


@contextmanager
def sampled(
    count: Callable[[], DropCount], busy_cores: Collection[int]
) -> Iterator[Future[list[DropCount]]]:
    """Look at a counter every ``INTERVAL_S`` while the context is open.

    Parameters
    ----------
    count
        Reads the counter.
    busy_cores
        Cores of the lab, to be left alone where there are others.

    Yields
    ------
    The looks, to be had when the context is closed; the last is taken after that.
    """
    stop = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        looks = pool.submit(_look_until, stop, count, busy_cores)
        try:
            yield looks
        finally:
            stop.set()


def _look_until(
    stop: threading.Event, count: Callable[[], DropCount], busy_cores: Collection[int]
) -> list[DropCount]:
    # Of this thread alone, and of the tools that it starts.
    os.sched_setaffinity(0, os.sched_getaffinity(0) - set(busy_cores) or set(busy_cores))
    looks = [count()]
    due = time.monotonic()
    while not stop.is_set():
        due = max(due + INTERVAL_S, time.monotonic())
        stop.wait(due - time.monotonic())
        looks.append(count())
    return looks


def packets_by_interval(looks: Sequence[DropCount]) -> tuple[int, ...]:
    """Packets counted in each interval that lies wholly within the load.

    A look is late where the load leaves no core to the one who looks, so the counter is taken
    between two looks as if it had run evenly: a late look smooths the peak and invents none.

    >>> seen = ((0.0, 0), (0.1, 3), (0.2, 9), (0.4, 29), (0.5, 31))
    >>> looks = [DropCount(at_ns=round(at_s * 1e9), packets=packets) for at_s, packets in seen]
    >>> packets_by_interval(looks)
    (6, 10, 10)
    """
    within = [look for look in looks if looks[0].packets < look.packets < looks[-1].packets]
    if len(within) < 2:
        return ()
    at_s = np.array([look.at_ns - within[0].at_ns for look in within]) / 1e9
    # A hair's breadth, so that an interval that just fits is not lost to rounding.
    whole = int(at_s[-1] / INTERVAL_S * (1 + 1e-9))
    counted = np.interp(
        np.arange(whole + 1) * INTERVAL_S, at_s, [float(look.packets) for look in within]
    )
    return tuple(int(packets) for packets in np.diff(np.rint(counted)))
