"""Mean latency of one program on one datapath, from idle to overload."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from linerate.models.latency.busy import busy_ratio
from linerate.models.latency.quantiles import UTILISATION_MAX, Quantile
from linerate.models.queueing.textbook.full_ring import overload_latency_us
from linerate.models.queueing.textbook.mg1 import md1_wait_ns
from linerate.models.queueing.textbook.mg1k import PLACES_MAX, mg1k
from linerate.models.queueing.textbook.vacations import setup_wait_ns
from linerate.models.runs.cells import Array, Pair

SETUP_SCV = 0.3
"""Variability of a set-up: the depth of sleep differs. Assumed, not fitted."""
OVERLOADED = 1.02
"""Offered share of capacity from which the ring is full."""
STARTS = ((0.1, 0.7, 0.2), (0.02, 0.9, 0.05), (0.3, 0.3, 0.3))
"""Where a fit begins, of the latency at light load: time outside the queue, to wake up, and what
stalls add."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathLatency:
    """Fitted constants of one program on one datapath."""

    pair: Pair
    ring_packets: float
    """Packets that one queue holds when full."""
    fixed_us: float
    """Time outside the queue: generator, wire and sink."""
    setup_us: float
    """Time to wake an idle server."""
    wake_us: float = 0.0
    """CPU time of one wake-up of an idle server."""
    stall_wait_us: float = 0.0
    """Mean wait that stalls of the machine add to an idle queue."""
    p50: Quantile | None = None
    p99: Quantile | None = None
    """Below saturation; None where no quantiles were measured."""
    reach: float | None = None
    """Log half-width of the interval of one run's mean below saturation; None where not known."""
    stalls_watched: bool = False
    """Whether a probe watched the machine for stalls beside the runs."""

    def mean_us(self, load_mpps: float, service_time_ns: float) -> float:
        """Mean latency of one queue.

        Below saturation a packet waits for packets before it (M/D/1), for the server to wake up
        (Welch), and for what gathered in stalls of the machine, which come whether packets do or
        not: that is as long as one over the idle share. Towards saturation the ring bounds it
        (M/G/1/K of the same mean wait), and in overload the ring is full.
        """
        rho = load_mpps * service_time_ns * 1e-3
        if rho <= UTILISATION_MAX:
            return float(self.below_us(np.asarray(load_mpps), np.asarray(service_time_ns)))
        if rho >= OVERLOADED:
            full_us = overload_latency_us(self.ring_packets, 1.0, 1e3 / service_time_ns)
            return self.fixed_us + float(full_us)
        # The variability of service that makes an endless queue wait as long.
        scv = 2e3 * self.stall_wait_us / (rho * service_time_ns)
        places = int(np.clip(round(self.ring_packets), 1, PLACES_MAX))
        queue = mg1k(load_mpps=load_mpps, service_time_ns=service_time_ns, service_scv=scv,
                     places=places)  # fmt: skip
        waking_ns = setup_wait_ns(load_mpps, 1e3 * self.setup_us, SETUP_SCV)
        return self.fixed_us + 1e-3 * (queue.sojourn_ns + float(waking_ns))

    def below_us(self, load_mpps: Array, service_time_ns: Array) -> Array:
        """Mean latency where the ring seldom fills, shape (n,)."""
        queue = _Unfilled.of(load_mpps, service_time_ns)
        return queue.latency_us(self.fixed_us, self.setup_us, self.stall_wait_us)

    def busy_ratio(self, load_mpps: float, service_time_ns: float) -> float:
        """Share of time that the core of one queue works, waking up included."""
        return float(
            busy_ratio(
                np.asarray(load_mpps), np.asarray(service_time_ns),
                setup_us=self.setup_us, wake_us=self.wake_us,
            )
        )  # fmt: skip

    def __str__(self) -> str:
        return (
            f"{self.pair}: latency = {self.fixed_us:.3g} us + waking {self.setup_us:.3g} us + "
            f"M/D/1/{self.ring_packets:.0f} + {self.stall_wait_us:.3g} us of stalls / idle share; "
            f"in overload {self.ring_packets:.0f} * queues / Mpps; a wake-up takes the core "
            f"{self.wake_us:.3g} us"
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Unfilled:
    """What of n queues that seldom fill no constant of their path changes, shape (n,) each."""

    load_mpps: Array
    served_ns: Array
    """Service of a packet, and of those before it."""
    idle: Array
    """Share of time."""

    @classmethod
    def of(cls, load_mpps: Array, service_time_ns: Array) -> _Unfilled:
        """Take it of loads and services, shape (n,) each."""
        waiting_ns = md1_wait_ns(load_mpps, service_time_ns)
        return cls(load_mpps=load_mpps, served_ns=service_time_ns + waiting_ns,
                   idle=1.0 - load_mpps * service_time_ns * 1e-3)  # fmt: skip

    def latency_us(self, fixed_us: float, setup_us: float, stall_wait_us: float) -> Array:
        """Mean latency under the constants of a path, shape (n,)."""
        waking_ns = setup_wait_ns(self.load_mpps, 1e3 * setup_us, SETUP_SCV)
        queue_us = 1e-3 * (self.served_ns + waking_ns)
        return np.asarray(fixed_us + queue_us + stall_wait_us / self.idle)


def fit_below(
    path: PathLatency, load_mpps: Array, service_time_ns: Array, latency_us: Array
) -> PathLatency:
    """Choose times that fit mean latencies below saturation, by the mean of absolute log ratios.

    Parameters
    ----------
    load_mpps, service_time_ns, latency_us
        Of one queue, shape (n,). Rows above 80 % of saturation are left out.
    """
    from scipy.optimize import minimize  # slow to load

    rows = load_mpps * service_time_ns * 1e-3 <= UTILISATION_MAX
    if not rows.any():
        return path
    load, service_ns, seen_us = load_mpps[rows], service_time_ns[rows], latency_us[rows]
    light_us = float(np.median(seen_us[load <= np.quantile(load, 0.2)]))
    # Runs of a cell have one prediction.
    places, of_run = np.unique(np.stack([load, service_ns]), axis=1, return_inverse=True)
    queue, of_run, log_seen = _Unfilled.of(*places), of_run.reshape(-1), np.log(seen_us)

    def constants(logs: Array) -> list[float]:
        times_us: list[float] = (light_us * np.exp(logs)).tolist()
        return times_us

    def error(logs: Array) -> float:
        log_said = np.log(queue.latency_us(*constants(logs)))
        return float(np.abs(log_said[of_run] - log_seen).mean())

    found = [minimize(error, np.log(start), method="Nelder-Mead") for start in STARTS]
    fixed_us, setup_us, stall_us = constants(min(found, key=lambda one: float(one.fun)).x)
    return replace(path, fixed_us=fixed_us, setup_us=setup_us, stall_wait_us=stall_us)


def fit_ring(full_per_packet_us: ArrayLike, latency_us: ArrayLike, fixed_us: float) -> float:
    """Packets of a full ring: latency in overload over the time of one packet.

    Parameters
    ----------
    full_per_packet_us
        Time of one packet of one queue, shape (n,), at least one.
    fixed_us
        Part of the latency that is not the ring's.

    Examples
    --------
    >>> fit_ring([0.5, 1.0], [131.0, 259.0], fixed_us=3.0)
    256.0
    """
    waited_us = np.maximum(np.asarray(latency_us, dtype=np.float64) - fixed_us, 0.0)
    return float(np.median(waited_us / np.asarray(full_per_packet_us, dtype=np.float64)))
