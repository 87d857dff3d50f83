"""Latency in overload through a socket: the card's ring, and behind it the ring of the socket.

Where the kernel is the slower stage, only the card's ring is full. Where the user thread is, the
socket's ring is full too, and what the kernel finds no room for it drops: then it empties the
card's ring faster than it could hand packets on, and that ring is full only if more arrives still.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from linerate.models.capacity.model import Capacity
from linerate.models.runs.cells import Array, Cells, Mask, Pair

SLOWER = 0.97
"""Rate over that of the kernel stage below which the user thread is the slower stage."""
DROPPING_RATIOS = np.linspace(0.8, 2.0, 25)
SOCKET_PACKETS = np.geomspace(256.0, 8192.0, 81)
"""What a fit tries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SocketRates:
    """Rates of n cells of one socket path; every array has shape (n,)."""

    kernel_mpps: Array
    """What the kernel hands on at most: the rate without accesses."""
    forwarded_mpps: Array
    """What comes back."""
    arriving_mpps: Array
    """What reaches the card's ring of one queue."""

    @property
    def user_slower(self) -> Mask:
        """Where the user thread sets the pace."""
        return np.asarray(self.forwarded_mpps < SLOWER * self.kernel_mpps)


@dataclass(frozen=True, slots=True, kw_only=True)
class SocketRing:
    """The ring between kernel and user thread of one program on one datapath."""

    pair: Pair
    packets: float
    """Packets that wait there when it is full."""
    dropping_ratio: float
    """How fast the kernel empties the card's ring while it drops, over how fast it hands on."""

    def latency_us(self, rates: SocketRates, ring_packets: Array) -> Array:
        """Time in full rings, shape (n,); the card's holds ``ring_packets``."""
        emptied_mpps = np.maximum(self.dropping_ratio * rates.kernel_mpps, rates.forwarded_mpps)
        full = rates.arriving_mpps > emptied_mpps
        behind_us = self.packets / rates.forwarded_mpps
        user_us = behind_us + np.where(full, ring_packets / emptied_mpps, 0.0)
        return np.where(rates.user_slower, user_us, ring_packets / rates.forwarded_mpps)

    def __str__(self) -> str:
        return (
            f"{self.pair}: {self.packets:.0f} packets in the socket's ring, the card's emptied "
            f"{self.dropping_ratio:.2g} times as fast while they are dropped"
        )


def socket_rates(capacity: Capacity, cells: Cells, forwarded_mpps: Array) -> SocketRates:
    """Rates of cells whose rate is known, the kernel's by a capacity model."""
    bare = replace(cells, memory_accesses=np.zeros(len(cells)))
    offered_mpps = np.minimum(cells.offered_mpps, cells.line_mpps)
    return SocketRates(
        kernel_mpps=capacity.limits(bare).service_mpps, forwarded_mpps=forwarded_mpps,
        arriving_mpps=offered_mpps / cells.queues,
    )  # fmt: skip


def fit_socket_ring(
    pair: Pair, rates: SocketRates, ring_packets: Array, latency_us: Array
) -> SocketRing:
    """Fit by the mean of absolute log ratios; all arrays have shape (n,), n at least 1.

    Parameters
    ----------
    ring_packets
        What the card's ring holds.
    latency_us
        Time in full rings that was measured.
    """
    tried = (
        SocketRing(pair=pair, packets=float(packets), dropping_ratio=float(ratio))
        for packets, ratio in product(SOCKET_PACKETS, DROPPING_RATIOS)
    )
    seen = np.log(latency_us)

    def error(ring: SocketRing) -> float:
        return float(np.abs(np.log(ring.latency_us(rates, ring_packets)) - seen).mean())

    return min(tried, key=error)
