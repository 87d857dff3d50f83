"""How long a packet takes at a load: M/G/1/K of each receive queue, and the rest of its path."""

from __future__ import annotations

from dataclasses import dataclass, replace

from linerate.models.objects.service import Service
from linerate.models.queueing import mg1k, mg1k_wait_ccdf, quantile_ns

PLACES = 256
"""Packets of one queue: the ring of a veth device, and the default of many a card."""
CONSTANT_SCV = 1e-4
"""Packets whose times vary less are taken to be alike: a standard deviation of 1 %."""
CAPACITY_RATIOS = (0.5, 0.8, 0.95)
"""Loads that are always answered, as shares of what is forwarded at most."""
QUANTILES = (0.5, 0.99)
LOSS_SHOWN_MIN = 5e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadAnswer:
    """One load, and the latency at it: waiting in the ring and being served.

    Where the box's latency was calibrated, the way to the device and back, waking up and the
    machine's stalls are in it, too.
    """

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
    """Ends of its 90 % interval, of the time of a packet and of the calibrated latency."""
    p50_us: float
    lower_p50_us: float
    upper_p50_us: float
    p99_us: float
    lower_p99_us: float
    upper_p99_us: float

    def __str__(self) -> str:
        lost = f", {self.loss_ratio:.0%} lost" if self.loss_ratio >= LOSS_SHOWN_MIN else ""
        quantiles = f"p50 {_short(self.p50_us)}, p99 {_short(self.p99_us)}"
        return f"{self.name} {_short(self.mean_us)} us ({quantiles}{lost})"


def at_capacity_ratio(
    service: Service, ends: tuple[float, float], queues: int, capacity_mpps: float, ratio: float
) -> LoadAnswer:
    """Answer for a share of the capacity, whatever that is.

    Parameters
    ----------
    ends
        Of the 90 % interval of a packet's time, as shares of it.
    """
    load_mpps = ratio * capacity_mpps / queues
    full = load_mpps * 1e-3 * service.packet_ns
    found = [_latency(_stretched(service, end), load_mpps / end, full) for end in (1.0, *ends)]
    return _answer(f"{ratio:.0%}", service, found, queues)


def at_load(
    service: Service, ends: tuple[float, float], queues: int, load_mpps: float, name: str
) -> LoadAnswer:
    """Answer for a load in packets a second: how long a packet takes decides how full a core is."""
    found = [_latency(_stretched(service, end), load_mpps / queues) for end in (1.0, *ends)]
    return _answer(name, service, found, queues)


def _stretched(service: Service, ratio: float) -> Service:
    """Let a packet take so many times as long."""
    return replace(service, base_ns=ratio * service.packet_ns - service.program_ns)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Latency:
    """Of one queue."""

    load_mpps: float
    mean_us: float
    p50_us: float
    p99_us: float
    loss_ratio: float


def _answer(name: str, service: Service, found: list[_Latency], queues: int) -> LoadAnswer:
    """Put together the middle and the two ends."""
    middle, lower, upper = found
    beside = service.path_latency
    low, high = (1.0, 1.0) if beside is None else (beside.lower_ratio, beside.upper_ratio)
    law = "D" if _scv(service) == 0.0 else "G"
    return LoadAnswer(
        name=name, load_mpps=middle.load_mpps * queues,
        model=f"M/{law}/1/{PLACES}" + (" and waking up" if beside is not None else ""),
        cpu_busy_ratio=min(1.0, middle.load_mpps * service.packet_ns * 1e-3),
        loss_ratio=middle.loss_ratio,
        mean_us=middle.mean_us, lower_mean_us=low * lower.mean_us,
        upper_mean_us=high * upper.mean_us,
        p50_us=middle.p50_us, lower_p50_us=low * lower.p50_us, upper_p50_us=high * upper.p50_us,
        p99_us=middle.p99_us, lower_p99_us=low * lower.p99_us, upper_p99_us=high * upper.p99_us,
    )  # fmt: skip


def _latency(service: Service, load_mpps: float, utilisation: float | None = None) -> _Latency:
    """Solve one queue, and add what else is on a packet's way.

    Parameters
    ----------
    utilisation
        Of the device's core, for that; by the load where left out.
    """
    packet_ns, beside = service.packet_ns, service.path_latency
    queue = mg1k(load_mpps=load_mpps, service_time_ns=packet_ns, service_scv=_scv(service),
                 places=PLACES)  # fmt: skip
    mean_us = 1e-3 * queue.sojourn_ns
    p50_us, p99_us = _queued_us(service, load_mpps)
    if beside is not None:
        if utilisation is None:
            utilisation = beside.utilisation(load_mpps, packet_ns)
        p50_us, mean_us, p99_us = beside.with_queue(
            (p50_us, mean_us, p99_us), utilisation, full_us=1e-3 * PLACES * packet_ns
        )
    return _Latency(load_mpps=load_mpps, loss_ratio=queue.loss_ratio, mean_us=mean_us,
                    p50_us=p50_us, p99_us=p99_us)  # fmt: skip


def _queued_us(service: Service, load_mpps: float) -> tuple[float, float]:
    """Median and 99th percentile of waiting in the ring and being served."""
    packet_ns = service.packet_ns

    def beyond(wait_ns: float) -> float:
        return float(mg1k_wait_ccdf(load_mpps=load_mpps, service_time_ns=packet_ns, places=PLACES,
                                    service_scv=_scv(service), beyond_ns=wait_ns))  # fmt: skip

    p50_us, p99_us = (
        1e-3 * (float(quantile_ns(beyond, ratio, packet_ns)) + packet_ns) for ratio in QUANTILES
    )
    return p50_us, p99_us


def _scv(service: Service) -> float:
    return 0.0 if service.scv < CONSTANT_SCV else service.scv


def _short(us: float) -> str:
    return f"{us:.2g}" if us < 10.0 else f"{us:.3g}"
