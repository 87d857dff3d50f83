"""Latency of a packet beside queue and program, as a calibration measured it by utilisation.

A program that only sends packets back runs in the split lab, its core more and less full: latency
is that of generator and devices, of cores that wake up, and of packets that wait behind stalls of
the machine. Stalls are far longer than a packet's own time, so that what they add depends on how
full the core is, and hardly on what fills it: other programs take it over at the same utilisation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from linerate.box import Cost
from linerate.models.queueing.textbook.mg1 import md1_wait_ns
from linerate.programs.costs import (
    LATENCIES,
    SERIAL,
    SPLIT,
    latency_name,
    latency_percents,
)

NEARLY_FULL = 0.98
"""Utilisation that any fuller core is taken to have."""
Latency3 = tuple[float, float, float]
"""As ``LATENCIES``: p50, mean, p99; us."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathLatency:
    """Latency of one datapath by utilisation, of a program that only sends packets back."""

    utilisations: tuple[float, ...]
    """That were calibrated, shares, ascending."""
    latencies_us: tuple[Latency3, ...]
    lower_ratio: float
    upper_ratio: float
    """Ends of what the calibration's rounds saw of p50, over its median."""
    split_ns: float
    """Time of a packet of that program, on a core of its own."""
    serial_ns: float
    """The same on a core that generates and counts, too."""

    def utilisation(self, load_mpps: float, packet_ns: float) -> float:
        """Share of time that the device's core works, of a packet's time on a shared core."""
        return load_mpps * 1e-3 * max(packet_ns + self.split_ns - self.serial_ns, 0.0)

    def with_queue(self, queued_us: Latency3, utilisation: float, full_us: float) -> Latency3:
        """Add what is calibrated to a program's own queue and service.

        Up to the fullest core that was calibrated it is interpolated; beyond it grows as a backlog
        does, with one over the idle share, until the ring is full. The p99 of the sum is taken for
        that of the one and the median of the other, whichever way is longer.

        Parameters
        ----------
        queued_us
            Of the program's queue alone.
        utilisation
            Share of time that the device's core works.
        full_us
            Time that a full ring takes.
        """
        p50, mean, p99 = self._beside_us(min(utilisation, NEARLY_FULL))
        own_p50, own_mean, own_p99 = queued_us
        most_p50, most_mean, most_p99 = (each + full_us for each in self.latencies_us[-1])
        return (
            min(p50 + own_p50, most_p50), min(mean + own_mean, most_mean),
            min(max(p99 + own_p50, p50 + own_p99), most_p99),
        )  # fmt: skip

    def _beside_us(self, utilisation: float) -> Latency3:
        """Latency but for the program's own queue and service; utilisation below 1."""
        most = self.utilisations[-1]
        grown = max(1.0, (1.0 - most) / (1.0 - utilisation))
        own_us = 1e-3 * (self.split_ns + float(md1_wait_ns(
            1e3 * min(utilisation, most) / self.split_ns, self.split_ns)))  # fmt: skip
        p50, mean, p99 = (
            grown * max(float(np.interp(utilisation, self.utilisations, column)) - own_us, 0.0)
            for column in np.array(self.latencies_us).T
        )
        return p50, mean, p99


def path_latency_of(costs: Mapping[str, Cost], datapath: str) -> PathLatency | None:
    """Read the latencies of one datapath; None where they were not calibrated."""
    percents = latency_percents(costs, datapath)
    if not percents:
        return None
    medians = [costs[latency_name(LATENCIES[0], datapath, percent)] for percent in percents]
    seen = [
        [1e-3 * costs[latency_name(which, datapath, percent)].value_ns for which in LATENCIES]
        for percent in percents
    ]
    return PathLatency(
        utilisations=tuple(percent / 100.0 for percent in percents),
        latencies_us=tuple((p50, mean, p99) for p50, mean, p99 in seen),
        lower_ratio=_middle([cost.lower_ns / cost.value_ns for cost in medians]),
        upper_ratio=_middle([cost.upper_ns / cost.value_ns for cost in medians]),
        split_ns=costs[f"{SPLIT}{datapath}"].value_ns,
        serial_ns=costs[f"{SERIAL}{datapath}"].value_ns,
    )  # fmt: skip


def _middle(ratios: list[float]) -> float:
    return float(np.exp(np.mean(np.log(ratios))))
