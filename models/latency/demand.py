"""Capacity that a run tells below saturation: its busy share is load times the time of a packet."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linerate.models.latency.busy import wakeups_per_us
from linerate.models.runs.cells import Array, Mask
from linerate.models.runs.training import Training

LOSSLESS = 0.97
"""Forwarded share of what was offered below which a run is saturated."""
BUSY_MAX, SERVING_MIN = 0.95, 0.5
"""Busy share up to which a core is not saturated, and the part of it that must be packets: where
most of it is waking up, it tells little of them."""
ROUNDS = 8
"""Of service times and wake-up rates, each from the other; they settle in about four."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """CPU time that packets and wake-ups of one path take."""

    base_ns: float
    """Of a packet without accesses."""
    access_ns: float
    """Of one access."""
    wake_us: float
    """Of one wake-up of an idle server."""

    def service_ns(self, accesses: Array) -> Array:
        """CPU time of a packet, shape of ``accesses``."""
        return np.asarray(self.base_ns + self.access_ns * accesses)


def fit_demand(load_mpps: Array, accesses: Array, busy: Array, setup_us: float) -> Demand:
    """Fit CPU times to busy shares below saturation, by least squares of relative errors.

    Parameters
    ----------
    load_mpps, accesses, busy
        Of one queue, shape (n,).
    setup_us
        Time to wake the server, on which the number of wake-ups depends a little.

    References
    ----------
    The utilisation law and service demands: Denning and Buzen, The operational analysis of
    queueing network models, ACM Computing Surveys 10 (1978).

    Examples
    --------
    >>> load, accesses = np.array([0.5, 1.0, 0.5, 1.0]), np.array([0.0, 0.0, 100.0, 100.0])
    >>> found = fit_demand(load, accesses, load * (0.3 + 0.001 * accesses), setup_us=10.0)
    >>> round(found.base_ns), round(found.access_ns, 3), round(found.wake_us, 3)
    (300, 1.0, 0.0)
    """
    from scipy.optimize import nnls  # slow to load

    service_ns = np.full(load_mpps.size, 0.3e3)
    found = Demand(base_ns=0.3e3, access_ns=0.0, wake_us=0.0)
    for _ in range(ROUNDS):
        wakeups = wakeups_per_us(load_mpps, service_ns, setup_us)
        terms = np.column_stack([1e-3 * load_mpps, 1e-3 * load_mpps * accesses, wakeups])
        values, _ = nnls(terms / busy[:, None], np.ones(busy.size))
        found = Demand(base_ns=float(values[0]), access_ns=float(values[1]),
                       wake_us=float(values[2]))  # fmt: skip
        service_ns = found.service_ns(accesses)
    return found


def capacity_training(training: Training) -> Training:
    """Replace the rate of each run by the capacity that it shows.

    A saturated run shows it by its rate. Below saturation it is the offered rate over the share of
    time spent on packets: the busy share without wake-ups. A saturated server is slower than its
    CPU times say, since what stalls the machine stalls it too; by the median of that, over the
    paths that were saturated, the capacities from CPU times are lowered.

    Returns
    -------
    Runs that show one, offered without end; the training itself where busy shares show none.
    """
    cells = training.cells
    below = training.forwarded_mpps >= LOSSLESS * cells.offered_mpps
    below &= np.isfinite(cells.offered_mpps) & np.isfinite(training.busy) & (training.busy > 0.0)
    told_mpps, slower = training.forwarded_mpps.copy(), []
    tells = training.forwarded_mpps < LOSSLESS * cells.offered_mpps
    full = tells.copy()
    for code in np.unique(cells.pair):
        rows = np.flatnonzero(below & (cells.pair == code) & (training.busy < BUSY_MAX))
        if rows.size < 4:
            continue
        demand, serving = _demand(training.take(rows))
        kept = serving > SERVING_MIN * training.busy[rows]
        told_mpps[rows] = cells.offered_mpps[rows] / np.maximum(serving, 1e-9)
        tells[rows[kept]] = True
        slower.append(_slower(training, demand, full & (cells.pair == code)))
    if not slower:
        return training
    ratios = np.concatenate(slower)
    told_mpps[~full] /= float(np.median(ratios)) if ratios.size else 1.0
    endless = replace(cells, offered_mpps=np.full(len(cells), np.inf))
    return replace(training, cells=endless, forwarded_mpps=told_mpps).take(tells)


def _demand(rows: Training) -> tuple[Demand, Array]:
    """Demand of one path, and the share of time that each run spends on packets."""
    load_mpps = rows.cells.offered_mpps / rows.cells.queues
    light = rows.latency_us[load_mpps <= np.quantile(load_mpps, 0.25)]
    setup_us = float(np.nanmedian(light)) if np.isfinite(light).any() else 0.0
    demand = fit_demand(load_mpps, rows.cells.memory_accesses, rows.busy, setup_us)
    service_ns = demand.service_ns(rows.cells.memory_accesses)
    waking = demand.wake_us * wakeups_per_us(load_mpps, service_ns, setup_us)
    return demand, np.asarray(rows.busy - waking)


def _slower(training: Training, demand: Demand, full: Mask) -> Array:
    """Time between packets of saturated runs over their CPU time."""
    cells = training.cells.take(full)
    between_ns = 1e3 * cells.queues / training.forwarded_mpps[full]
    # Some nanoseconds at least: without accesses a fit may leave nothing to the packet.
    return np.asarray(between_ns / np.maximum(demand.service_ns(cells.memory_accesses), 5.0))
