"""Median and tail of latency below saturation: waking up, and the stalls of the machine.

A sleeping server takes its set-up time to wake, and once in a while a stall of the machine comes on
top, in which packets gather. A wait is that of M/D/1, and what set-up and stall add (Welch).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linerate.models.cells import Array
from linerate.models.queueing.transforms import (
    Complex,
    Transform,
    gamma_transform,
    mg1_transform,
    setup_transform,
    wait_ccdf,
)

UTILISATION_MAX = 0.8
"""Share of capacity up to which quantiles are claimed."""
SETUP_SCV = 0.3
"""Variability of a set-up without stall: the depth of sleep differs. Assumed, not fitted."""
GRID_US = np.geomspace(0.1, 3e4, 160)
"""Waits at which a distribution is taken before it is interpolated."""
STALL_RATIOS, STALLS_US = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05), (30, 60, 90, 130, 200, 350)
FIXED_RATIOS = (0.1, 0.2, 0.3, 0.45)
"""What a fit tries: chance and length of stalls, and the part of the median that is no waiting."""
SETUP_RATIOS = (0.7, 0.85, 1.0, 1.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """How latency is spread on one path; times in us."""

    fixed_us: float
    """Time outside the queue."""
    setup_us: float
    """Time to wake an idle server, without stalls."""
    stall_ratio: float
    """Share of wake-ups that meet a stall of the machine."""
    stall_us: float
    """Mean length of such a stall, exponential."""

    def __str__(self) -> str:
        return (
            f"{self.fixed_us:.3g} us + waking {self.setup_us:.3g} us, {self.stall_ratio:.1%} of "
            f"times a stall of {self.stall_us:.3g} us more"
        )

    def quantile_us(self, load_mpps: float, service_time_ns: float, ratio: ArrayLike) -> Array:
        """Quantiles of the latency of one queue, shape of ``ratio``.

        nan from 80 % of saturation on, where the ring and the rate's own noise decide.

        Parameters
        ----------
        ratio
            0.99 for p99.
        """
        ratios = np.asarray(ratio, dtype=np.float64)
        if not 0.0 < load_mpps * service_time_ns * 1e-3 <= UTILISATION_MAX:
            return np.full(ratios.shape, np.nan)
        parts = (mg1_transform(load_mpps, service_time_ns, 0.0), self._waking(load_mpps))
        within = 1.0 - wait_ccdf(parts, 1e3 * GRID_US)
        waited_us = np.interp(ratios, np.maximum.accumulate(within), GRID_US)
        return np.asarray(self.fixed_us + service_time_ns * 1e-3 + waited_us)

    def _waking(self, load_mpps: float) -> Transform:
        """Give what set-ups add, of which some are longer by a stall."""
        wake = gamma_transform(1e3 * self.setup_us, SETUP_SCV)
        stall, often = gamma_transform(1e3 * self.stall_us, 1.0), self.stall_ratio
        mean_ns = 1e3 * (self.setup_us + often * self.stall_us)

        def law(s: Complex) -> NDArray[np.complexfloating]:
            return np.asarray(wake(s) * (1.0 - often + often * stall(s)))

        return setup_transform(load_mpps, mean_ns, law=law)


def fit_tail(load_mpps: Array, service_time_ns: Array, p50_us: Array, p99_us: Array) -> Tail | None:
    """Fit a tail to measured medians and 99th percentiles, by the mean of absolute log ratios.

    Parameters
    ----------
    load_mpps, service_time_ns, p50_us, p99_us
        Of one queue, shape (n,). Rows above 80 % of saturation are left out.

    Returns
    -------
    None where fewer than four rows are left.
    """
    rho = load_mpps * service_time_ns * 1e-3
    rows = np.flatnonzero((rho <= UTILISATION_MAX) & (p50_us > 0.0) & (p99_us > 0.0))
    if rows.size < 4:
        return None
    rows = rows[np.argsort(load_mpps[rows])][:: max(1, rows.size // 10)]
    seen = np.column_stack([p50_us[rows], p99_us[rows]])

    def error(tail: Tail) -> float:
        said = [tail.quantile_us(float(load), float(service_ns), (0.5, 0.99))
                for load, service_ns in zip(load_mpps[rows], service_time_ns[rows],
                                            strict=True)]  # fmt: skip
        return float(np.abs(np.log(np.asarray(said) / seen)).mean())

    light_us = float(np.median(seen[: max(2, rows.size // 6), 0]))
    middle = Tail(fixed_us=0.2 * light_us, setup_us=0.8 * light_us, stall_ratio=0.01, stall_us=90.0)
    stalled = (
        replace(middle, stall_ratio=share, stall_us=length_us)
        for share, length_us in product(STALL_RATIOS, STALLS_US)
    )
    best = min(stalled, key=error)
    woken = (Tail(fixed_us=fixed * light_us, setup_us=setup * light_us, stall_us=best.stall_us,
                  stall_ratio=best.stall_ratio)
             for fixed, setup in product(FIXED_RATIOS, SETUP_RATIOS))  # fmt: skip
    return min([best, *woken], key=error)
