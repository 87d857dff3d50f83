"""Rates of a log's steady part: after traffic began, before it ended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linerate.measure.importers.defects import Defect

Array = NDArray[np.float64]
TRAFFIC_RATIO = 0.5
"""A sample with less of the largest rate lies before the traffic, behind it, or on its edge."""
STEADY_SAMPLES_MIN = 3
UNSTEADY_RATIO = 0.03
"""Samples that scatter by more (standard deviation over mean) are not a steady rate."""
WINDOW_S = 2.0
"""Scatter is taken over windows this long, or the log's own, so that logs can be compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Steady:
    """A rate over the steady part of a log."""

    mpps: float
    spread_ratio: float
    """Standard deviation of the samples over their mean."""
    samples: int
    duration_s: float

    @property
    def unsteady(self) -> bool:
        """Whether the rate changed while it was taken."""
        return self.spread_ratio > UNSTEADY_RATIO

    def row(self) -> dict[str, object]:
        """Columns of the table of runs that it gives."""
        return {
            "forwarded_mpps": self.mpps, "unstable": self.unsteady, "duration_s": self.duration_s,
        }  # fmt: skip

    def defects(self) -> list[Defect]:
        """Name a rate that changed."""
        spread = f"scatters by {self.spread_ratio:.1%}"
        return [Defect(name="rate_unsteady", detail=spread)] if self.unsteady else []


def steady_samples(traffic_pps: Array) -> slice:
    """Find the samples that lie wholly within the traffic; an empty slice where none do.

    The first sample of the traffic holds the moment it began in, so it is left out, as is all
    from the last sample that is down again.

    >>> steady_samples(np.array([0.0, 0.0, 3.0, 10.0, 10.0, 10.0, 10.0, 4.0, 0.0]))
    slice(4, 7, None)
    >>> steady_samples(np.zeros(9))
    slice(0, 0, None)
    """
    if not traffic_pps.size or not traffic_pps.max() > 0.0:
        return slice(0, 0)
    full = np.flatnonzero(traffic_pps > TRAFFIC_RATIO * traffic_pps.max())
    return slice(int(full[0]) + 1, int(full[-1]) + 1)


def mean_rate(samples_pps: Array, interval_s: float) -> Steady | None:
    """Average a rate over steady samples; None of too few."""
    if samples_pps.size < STEADY_SAMPLES_MIN:
        return None
    mean_pps = float(samples_pps.mean())
    return Steady(
        mpps=mean_pps / 1e6, spread_ratio=_spread_ratio(samples_pps),
        samples=samples_pps.size, duration_s=samples_pps.size * interval_s,
    )  # fmt: skip


def counter_rate(seconds: Array, packets: Array) -> Steady | None:
    """Slope of a counter: the median of its steps, which one late reading cannot move."""
    if seconds.size < STEADY_SAMPLES_MIN + 1:
        return None
    steps_pps = np.diff(packets) / np.diff(seconds)
    stride = max(1, round(WINDOW_S / float(np.median(np.diff(seconds)))))
    windows_pps = np.diff(packets[::stride]) / np.diff(seconds[::stride])
    return Steady(
        mpps=float(np.median(steps_pps)) / 1e6, spread_ratio=_spread_ratio(windows_pps),
        samples=steps_pps.size, duration_s=float(seconds[-1] - seconds[0]),
    )  # fmt: skip


def _spread_ratio(samples: Array) -> float:
    mean = float(samples.mean()) if samples.size else 0.0
    return float(samples.std()) / mean if mean else 0.0
