"""How long a packet is in its queue and served, at a load: M/G/1/K of each receive queue."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linerate.models.objects.service import Service
from linerate.models.queueing import mg1k, mg1k_wait_ccdf, quantile_ns

PLACES = 256
"""Packets of one queue: the ring of a veth device, and the default of many a card."""
CONSTANT_SCV = 1e-4
"""Packets whose times vary less are taken to be alike: a standard deviation of 1 %."""
CAPACITY_RATIOS = (0.5, 0.8, 0.95)
"""Loads that are always answered, as shares of what is forwarded at most."""
P99 = 0.99
LOSS_SHOWN_MIN = 5e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadAnswer:
    """One load, and the latency at it: waiting in the ring, and being served."""

    name: str
    """``line rate``, ``offered``, or the share of the capacity."""
    load_mpps: float
    model: str
    """Queueing model, of each queue by itself."""
    cpu_busy_ratio: float
    """Share of time that each queue's core works, 0 to 1."""
    loss_ratio: float
    """Share of the packets that find the ring full, 0 to 1."""
    mean_us: float
    lower_mean_us: float
    upper_mean_us: float
    """Ends of its 90 % interval, of the time of a packet alone."""
    p99_us: float
    lower_p99_us: float
    upper_p99_us: float

    def __str__(self) -> str:
        lost = f", {self.loss_ratio:.0%} lost" if self.loss_ratio >= LOSS_SHOWN_MIN else ""
        return f"{self.name} {_short(self.mean_us)} us (p99 {_short(self.p99_us)}{lost})"


def at_capacity_ratio(
    service: Service, ends: tuple[float, float], queues: int, capacity_mpps: float, ratio: float
) -> LoadAnswer:
    """Answer for a share of the capacity, whatever that is: latency scales with a packet's time.

    Parameters
    ----------
    ends
        Of the 90 % interval of a packet's time, as shares of it.
    """
    found = _latency(service, ratio * capacity_mpps / queues)
    scaled = [(end * found.mean_ns, end * found.p99_ns) for end in ends]
    return _answer(f"{ratio:.0%}", service, found, scaled, queues)


def at_load(
    service: Service, ends: tuple[float, float], queues: int, load_mpps: float, name: str
) -> LoadAnswer:
    """Answer for a load in packets a second: how long a packet takes decides how full a core is."""
    found, *others = (
        _latency(replace(service, base_ns=end * service.packet_ns - service.program_ns),
                 load_mpps / queues)
        for end in (1.0, *ends)
    )  # fmt: skip
    return _answer(name, service, found, [(one.mean_ns, one.p99_ns) for one in others], queues)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Latency:
    """Of one queue."""

    load_mpps: float
    mean_ns: float
    p99_ns: float
    loss_ratio: float


def _answer(
    name: str, service: Service, found: _Latency, ends_ns: list[tuple[float, float]], queues: int
) -> LoadAnswer:
    (low_mean, low_p99), (high_mean, high_p99) = 1e-3 * np.array(ends_ns)
    law = "D" if _scv(service) == 0.0 else "G"
    return LoadAnswer(
        name=name, load_mpps=found.load_mpps * queues, model=f"M/{law}/1/{PLACES}",
        cpu_busy_ratio=min(1.0, found.load_mpps * service.packet_ns * 1e-3),
        loss_ratio=found.loss_ratio,
        mean_us=1e-3 * found.mean_ns, lower_mean_us=low_mean, upper_mean_us=high_mean,
        p99_us=1e-3 * found.p99_ns, lower_p99_us=low_p99, upper_p99_us=high_p99,
    )  # fmt: skip


def _latency(service: Service, load_mpps: float) -> _Latency:
    """Solve one queue: waiting and service."""
    packet_ns, scv = service.packet_ns, _scv(service)

    def beyond(wait_ns: float) -> float:
        return float(mg1k_wait_ccdf(load_mpps=load_mpps, service_time_ns=packet_ns, places=PLACES,
                                    service_scv=scv, beyond_ns=wait_ns))  # fmt: skip

    queue = mg1k(load_mpps=load_mpps, service_time_ns=packet_ns, service_scv=scv, places=PLACES)
    return _Latency(
        load_mpps=load_mpps, mean_ns=queue.sojourn_ns, loss_ratio=queue.loss_ratio,
        p99_ns=float(quantile_ns(beyond, P99, packet_ns)) + packet_ns,
    )  # fmt: skip


def _scv(service: Service) -> float:
    return 0.0 if service.scv < CONSTANT_SCV else service.scv


def _short(us: float) -> str:
    return f"{us:.2g}" if us < 10.0 else f"{us:.3g}"
