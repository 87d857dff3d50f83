"""Median and tail of latency below saturation: waking up, and the stalls of the machine.

A sleeping server takes its set-up time to wake, and once in a while a stall of the machine comes on
top, in which packets gather. A wait is that of M/D/1, and what set-up and stall add (Welch).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linerate.models.queueing.textbook.transforms import (
    Complex,
    euler_nodes,
    gamma_transform,
    inverted,
    mg1_transform,
    setup_transform,
)
from linerate.models.runs.cells import Array

UTILISATION_MAX = 0.8
"""Share of capacity up to which quantiles are claimed."""
SETUP_SCV = 0.3
"""Variability of a set-up without stall: the depth of sleep differs. Assumed, not fitted."""
GRID_US = np.geomspace(0.1, 3e4, 100)
"""Waits at which a distribution is taken before it is interpolated."""
GRID_NS = 1e3 * GRID_US
NODES = euler_nodes(GRID_NS)
"""Where transforms are asked for it."""
START, STEPS, NEIGHBOURS = (0.01, 90.0), 100, 12
"""Chance and length of stalls that a fit begins with, its steps at most, and the groups of
neighbouring loads that it sees."""


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
        queue = _Queue.of(load_mpps, service_time_ns)
        return queue.quantile_us(self, self.waking(NODES), ratios)

    def waking(self, s: Complex) -> Complex:
        """Transform of the time to wake, of which some are longer by a stall."""
        wake = gamma_transform(1e3 * self.setup_us, SETUP_SCV)
        stall, often = gamma_transform(1e3 * self.stall_us, 1.0), self.stall_ratio
        return np.asarray(wake(s) * (1.0 - often + often * stall(s)), dtype=np.complex128)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Queue:
    """One queue at one load; what does not depend on the tail is kept."""

    load_mpps: float
    service_time_ns: float
    waits: Complex
    """Transform of the wait in M/D/1 at ``NODES``."""

    @classmethod
    def of(cls, load_mpps: float, service_time_ns: float) -> _Queue:
        law = mg1_transform(load_mpps, service_time_ns, 0.0)
        waits = np.asarray(law(NODES), dtype=np.complex128)
        return cls(load_mpps=load_mpps, service_time_ns=service_time_ns, waits=waits)

    def quantile_us(self, tail: Tail, waking: Complex, ratios: Array) -> Array:
        """Quantiles with a tail's set-ups; ``waking`` is their transform at ``NODES``."""
        mean_ns = 1e3 * (tail.setup_us + tail.stall_ratio * tail.stall_us)
        added = setup_transform(self.load_mpps, mean_ns, law=lambda _: waking)(NODES)
        within = 1.0 - inverted(self.waits * added, NODES, GRID_NS)
        waited_us = np.interp(ratios, np.maximum.accumulate(within), GRID_US)
        return np.asarray(tail.fixed_us + self.service_time_ns * 1e-3 + waited_us)


def fit_tail(load_mpps: Array, service_time_ns: Array, p50_us: Array, p99_us: Array) -> Tail | None:
    """Fit a tail to measured medians and 99th percentiles, by the mean of absolute log ratios.

    Single stalls scatter the p99 of a run by half its value, so it is fitted to medians of runs of
    neighbouring loads.

    Parameters
    ----------
    load_mpps, service_time_ns, p50_us, p99_us
        Of one queue, shape (n,). Rows above 80 % of saturation are left out.

    Returns
    -------
    None where fewer than four rows are left.
    """
    from scipy.optimize import minimize  # slow to load

    rho = load_mpps * service_time_ns * 1e-3
    rows = np.flatnonzero((rho <= UTILISATION_MAX) & (p50_us > 0.0) & (p99_us > 0.0))
    if rows.size < 4:
        return None
    ordered = rows[np.argsort(load_mpps[rows])]
    columns = np.column_stack([load_mpps, service_time_ns, p50_us, p99_us])
    near = np.array_split(columns[ordered], min(NEIGHBOURS, rows.size))
    table = np.asarray([np.median(part, axis=0) for part in near])
    light_us = float(np.median(table[:2, 2]))

    def tail_at(logs: Array) -> Tail:
        fixed_us, setup_us, ratio, stall_us = map(float, np.exp(logs))
        return Tail(fixed_us=fixed_us, setup_us=setup_us, stall_ratio=min(ratio, 0.5),
                    stall_us=stall_us)  # fmt: skip

    queues = [_Queue.of(load, service_ns) for load, service_ns in table[:, :2]]

    def error(logs: Array) -> float:
        tail = tail_at(logs)
        waking = tail.waking(NODES)
        predicted = [queue.quantile_us(tail, waking, np.array([0.5, 0.99])) for queue in queues]
        return float(np.abs(np.log(np.asarray(predicted) / table[:, 2:])).mean())

    start = np.log([0.2 * light_us, 0.8 * light_us, *START])
    found = minimize(error, start, method="Nelder-Mead",
                     options={"maxfev": STEPS, "xatol": 0.02, "fatol": 1e-3})  # fmt: skip
    return tail_at(found.x)
