"""Latency when more is offered than a queue can serve: the time to work off a full ring."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linerate.models.arrays import Array


def overload_latency_us(
    ring_packets: ArrayLike, queues: ArrayLike, forwarded_mpps: ArrayLike, fixed_us: ArrayLike = 0.0
) -> Array:
    """Mean latency in overload: every packet that gets in finds the ring of its queue full.

    Parameters
    ----------
    ring_packets
        Descriptors of one queue's ring.
    queues
        Queues that share ``forwarded_mpps`` evenly.
    forwarded_mpps
        Capacity of all queues together.
    fixed_us
        Time spent elsewhere on the way.

    Returns
    -------
    Latency, broadcast shape, us.

    References
    ----------
    Little, Operations Research 9 (1961): time = packets inside / rate.

    Examples
    --------
    >>> overload_latency_us(256, 1, 2.0)
    array(128.)
    """
    waiting = np.asarray(ring_packets, dtype=np.float64) * np.asarray(queues, dtype=np.float64)
    ring_us = waiting / np.asarray(forwarded_mpps, dtype=np.float64)
    return np.asarray(ring_us + np.asarray(fixed_us, dtype=np.float64))
