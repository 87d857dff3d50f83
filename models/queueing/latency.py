"""Latency and CPU share from idle to overload, fitted on load-latency runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar

from linerate.errors import BadInputError
from linerate.models.capacity import Capacity
from linerate.models.cells import Array, Cells, Pair, cells_of
from linerate.models.queueing.busy import busy_ratio, fit_wake_us
from linerate.models.queueing.mg1k import PLACES_MAX, mg1k
from linerate.models.queueing.ring import overload_latency_us
from linerate.models.queueing.tails import Tail, fit_tail
from linerate.models.training import Training, training_of

RING_PACKETS = 256
"""Ring that is assumed where no run was overloaded: a veth's, and many a NIC's default."""
OVERLOADED, LIGHT = 1.02, 0.2
"""Offered share of capacity from which the ring is full, and up to which the server mostly
sleeps."""
ROWS_MIN = 4
"""Runs with latency that a path needs to be fitted."""


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
    service_scv: float
    """Effective squared coefficient of variation of the service time, with its interruptions."""
    tail: Tail | None = None
    """Median and tail below saturation; None where no quantiles were measured."""

    def mean_us(self, load_mpps: float, service_time_ns: float) -> float:
        """Mean latency of one queue.

        An arrival at an idle server pays the set-up time; the wait of the others is that of
        M/G/1/K, which in overload becomes a full ring.
        """
        rho = load_mpps * service_time_ns * 1e-3
        full_us = overload_latency_us(self.ring_packets, 1.0, 1e3 / service_time_ns)
        if rho >= OVERLOADED:
            return self.fixed_us + float(full_us)
        places = int(np.clip(round(self.ring_packets), 1, PLACES_MAX))
        queue = mg1k(load_mpps=load_mpps, service_time_ns=service_time_ns,
                     service_scv=self.service_scv, places=places)  # fmt: skip
        idle_ratio = 1.0 - queue.busy_ratio
        return self.fixed_us + idle_ratio * self.setup_us + queue.sojourn_ns * 1e-3

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
            f"{self.pair}: latency = {self.fixed_us:.3g} us + idle share * {self.setup_us:.3g} us "
            f"+ M/G/1/{self.ring_packets:.0f} (service scv {self.service_scv:.3g}); "
            f"in overload {self.ring_packets:.0f} * queues / Mpps; a wake-up takes the core "
            f"{self.wake_us:.3g} us"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Latencies:
    """What a latency model says of n cells; every array has shape (n,)."""

    mean_us: Array
    """Mean one-way latency."""
    cpu_busy_ratio: Array
    """Share of time that each queue's core works for packets, 0 to 1."""
    capacity_mpps: Array
    """Most that is forwarded in the mode the latency was measured in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyModel:
    """Capacity of the mode in which latency was measured, and each path's queue."""

    capacity: Capacity
    paths: tuple[PathLatency, ...]
    notes: tuple[str, ...] = ()
    """Paths without enough runs, one sentence each."""

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Datapaths and programs whose latency it knows."""
        return tuple(path.pair for path in self.paths)

    def predict(self, cells: pd.DataFrame) -> Latencies:
        """Predict cells of a table that has ``offered_mpps``.

        Raises
        ------
        BadInputError
            Missing columns, impossible factors, or a path whose latency is not known.
        """
        return self.predict_cells(cells_of(cells, self.pairs))

    def predict_cells(self, cells: Cells) -> Latencies:
        """Predict cells that are arrays already."""
        moved = cells.of_pairs(self.pairs)
        capacity_mpps = _capacity_mpps(self.capacity, cells)
        offered_mpps = np.minimum(cells.offered_mpps, cells.line_mpps)
        of_queue = [
            (self.paths[path], float(offered / queues), float(1e3 * queues / capacity))
            for path, queues, offered, capacity in zip(
                moved.pair, cells.queues, offered_mpps, capacity_mpps, strict=True
            )
        ]
        mean_us = [path.mean_us(load, service_ns) for path, load, service_ns in of_queue]
        busy = [path.busy_ratio(load, service_ns) for path, load, service_ns in of_queue]
        return Latencies(
            mean_us=np.asarray(mean_us, dtype=np.float64), capacity_mpps=capacity_mpps,
            cpu_busy_ratio=np.asarray(busy, dtype=np.float64),
        )  # fmt: skip

    def predict_quantiles_us(self, cells: pd.DataFrame, ratio: ArrayLike) -> Array:
        """Predict quantiles of the latency of cells below saturation.

        On runs of a veth pair with whole loads or rates held out, p50 is off by a median of 16 %
        and p99 by 30 %, below 80 % of the capacity.

        Parameters
        ----------
        ratio
            0.99 for p99, shape (m,).

        Returns
        -------
        Shape (n, m), us; nan from 80 % of the capacity on, and where no quantile was measured.
        """
        asked = cells_of(cells, self.pairs)
        moved, ratios = asked.of_pairs(self.pairs), np.atleast_1d(np.asarray(ratio, np.float64))
        capacity_mpps = _capacity_mpps(self.capacity, asked)
        offered_mpps = np.minimum(asked.offered_mpps, asked.line_mpps)
        tails = [self.paths[path].tail for path in moved.pair]
        return np.asarray([
            np.full(ratios.shape, np.nan) if tail is None
            else tail.quantile_us(float(offered / queues), float(1e3 * queues / capacity), ratios)
            for tail, queues, offered, capacity in zip(
                tails, asked.queues, offered_mpps, capacity_mpps, strict=True)
        ])  # fmt: skip

    def __str__(self) -> str:
        return "\n".join([str(self.capacity), *map(str, self.paths)])


def _capacity_mpps(capacity: Capacity, cells: Cells) -> Array:
    return capacity.limits(cells).service_mpps


def fit_latency(runs: pd.DataFrame) -> LatencyModel | None:
    """Fit on the runs of the split mode, the only one whose latency is that of a queue.

    Returns
    -------
    None where no path has enough such runs with a latency, or their capacity cannot be fitted.
    """
    if "mode" not in runs.columns:
        return None
    split = runs[runs["mode"] == "split"]
    split = split[split["latency_mean_us"] > 0.0]
    if len(split) < ROWS_MIN:
        return None
    try:
        training = training_of(split)
        capacity = Capacity.fit(training)
    except BadInputError:
        return None
    paths = []
    for code in np.unique(training.cells.pair):
        rows = training.take(training.cells.pair == code)
        if len(rows) >= ROWS_MIN:
            paths.append(_fit_path(rows, training.cells.pairs[code], capacity))
    if not paths:
        return None
    return _with_tails(LatencyModel(capacity=capacity, paths=tuple(paths)), split)


def _with_tails(model: LatencyModel, split: pd.DataFrame) -> LatencyModel:
    """Fit medians and tails to the runs of each path that have them."""
    if not {"latency_p50_us", "latency_p99_us"} <= set(split.columns):
        return model
    paths = []
    for path in model.paths:
        of_pair = split["datapath"] == path.pair.datapath
        if "program" in split.columns:
            of_pair &= split["program"] == path.pair.program
        rows = split[of_pair]
        cells = cells_of(rows, model.pairs)
        offered_mpps = np.minimum(cells.offered_mpps, cells.line_mpps)
        service_ns = 1e3 * cells.queues / _capacity_mpps(model.capacity, cells)
        p50_us, p99_us = (rows[f"latency_{name}_us"].to_numpy(dtype=np.float64)
                          for name in ("p50", "p99"))  # fmt: skip
        tail = fit_tail(offered_mpps / cells.queues, service_ns, p50_us, p99_us)
        paths.append(replace(path, tail=tail))
    return replace(model, paths=tuple(paths))


def _fit_path(rows: Training, pair: Pair, capacity: Capacity) -> PathLatency:
    capacity_mpps = _capacity_mpps(capacity, rows.cells)
    queues = rows.cells.queues
    offered_mpps = np.minimum(rows.cells.offered_mpps, rows.cells.line_mpps)
    rho = offered_mpps / capacity_mpps
    full, light = rho >= OVERLOADED, rho <= LIGHT
    ring_packets, fixed_us = _ring((queues / capacity_mpps)[full], rows.latency_us[full])
    setup_us = max(float(np.median(rows.latency_us[light])) - fixed_us, 0.0) if light.any() else 0.0
    wake_us = fit_wake_us(offered_mpps / queues, 1e3 * queues / capacity_mpps, rows.busy, setup_us)
    plain = PathLatency(pair=pair, ring_packets=ring_packets, fixed_us=fixed_us,
                        setup_us=setup_us, wake_us=wake_us, service_scv=0.0)  # fmt: skip
    between = ~full & ~light
    if not between.any():
        return plain
    triples = [
        (float(load), float(service_ns), float(us))
        for load, service_ns, us in zip(
            (offered_mpps / queues)[between], (1e3 * queues / capacity_mpps)[between],
            rows.latency_us[between], strict=True,
        )
    ]  # fmt: skip
    return _with_scv(plain, triples)


def _ring(full_per_packet_us: Array, latency_us: Array) -> tuple[float, float]:
    """Slope and intercept of latency over the time of one packet, both at least 0."""
    if not full_per_packet_us.size:
        return float(RING_PACKETS), 0.0
    through_zero = float(np.median(latency_us / full_per_packet_us))
    if np.ptp(full_per_packet_us) < 0.5 * full_per_packet_us.max():
        return through_zero, 0.0
    # Weighted by 1 / latency: relative errors count, as rates span decades.
    design = np.column_stack([full_per_packet_us, np.ones(latency_us.size)])
    slope, intercept = np.linalg.lstsq(design / latency_us[:, None], np.ones(latency_us.size))[0]
    if slope <= 0.0 or intercept <= 0.0:
        return through_zero, 0.0
    return float(slope), float(intercept)


def _with_scv(path: PathLatency, triples: Sequence[tuple[float, float, float]]) -> PathLatency:
    """Choose the variability that fits the runs between idle and overload."""
    some = triples[:: max(1, len(triples) // 40)]

    def at(log_scv: float) -> PathLatency:
        return replace(path, service_scv=float(np.exp(log_scv)))

    def error(log_scv: float) -> float:
        trial = at(log_scv)
        return float(np.mean([abs(np.log(trial.mean_us(load, ns) / us)) for load, ns, us in some]))

    found = minimize_scalar(error, bounds=(np.log(0.01), np.log(1e3)), method="bounded",
                            options={"maxiter": 25, "xatol": 0.02})  # fmt: skip
    return at(float(found.x))
