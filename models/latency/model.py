"""Latency and CPU share from idle to overload, fitted on load-latency runs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from linerate.errors import BadInputError
from linerate.models.capacity.model import Capacity
from linerate.models.intervals.domain import Domain, domain_of
from linerate.models.latency.busy import fit_wake_us
from linerate.models.latency.demand import capacity_training
from linerate.models.latency.path import OVERLOADED, PathLatency, fit_below, fit_ring
from linerate.models.latency.quantiles import QUANTILES, fit_quantile
from linerate.models.latency.reach import interval_us, with_reach
from linerate.models.runs.cells import Array, Cells, Mask, Pair, cells_of
from linerate.models.runs.training import Training, training_of

RING_PACKETS = 256
"""Ring that is assumed where no run was overloaded: a veth's, and many a NIC's default."""
ROWS_MIN = 4
"""Runs with latency that a path needs to be fitted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Latencies:
    """What a latency model says of n cells; every array has shape (n,)."""

    mean_us: Array
    """Mean one-way latency."""
    cpu_busy_ratio: Array
    """Share of time that each queue's core works for packets, 0 to 1."""
    capacity_mpps: Array
    """Most that is forwarded in the mode the latency was measured in."""
    lower_us: Array
    """Lower end of the 90 % interval of one run's mean; nan above 80 % of the capacity."""
    upper_us: Array
    """Upper end of it."""
    stalls_watched: Mask
    """Whether a probe watched the machine for stalls beside the runs of the path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyModel:
    """Capacity of the mode in which latency was measured, and each path's queue."""

    capacity: Capacity
    paths: tuple[PathLatency, ...]
    domain: Domain | None = None
    """Ranges of the runs with latency."""
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
        # Runs of a cell have one prediction.
        distinct, place = np.unique(
            np.stack([moved.pair, offered_mpps / cells.queues, 1e3 * cells.queues / capacity_mpps]),
            axis=1, return_inverse=True,
        )  # fmt: skip
        place = place.reshape(-1)
        of_queue = [(self.paths[int(path)], float(load), float(service_ns))
                    for path, load, service_ns in distinct.T]  # fmt: skip
        mean_us = [path.mean_us(load, service_ns) for path, load, service_ns in of_queue]
        busy = [path.busy_ratio(load, service_ns) for path, load, service_ns in of_queue]
        ends = np.array(
            [interval_us(path, load, service_ns) for path, load, service_ns in of_queue]
        )
        lower_us, upper_us = ends.reshape(-1, 2)[place].T
        watched = np.array([path.stalls_watched for path in self.paths], dtype=np.bool_)
        return Latencies(
            mean_us=np.array(mean_us, dtype=np.float64)[place], capacity_mpps=capacity_mpps,
            cpu_busy_ratio=np.array(busy, dtype=np.float64)[place], lower_us=lower_us,
            upper_us=upper_us, stalls_watched=watched[moved.pair],
        )  # fmt: skip

    def predict_quantiles_us(self, cells: pd.DataFrame) -> Array:
        """Predict p50 and p99 of the latency of cells below saturation.

        On runs of a veth pair with whole loads held out, p50 is off by a median of 12 % and p99 by
        27 %, below 80 % of the capacity.

        Returns
        -------
        Shape (n, 2), us; nan from 80 % of the capacity on, and where no quantile was measured.
        """
        asked = cells_of(cells, self.pairs)
        load_mpps, service_ns = _of_queue(self.capacity, asked)
        path_of_cell = asked.of_pairs(self.pairs).pair
        found_us = np.full((len(asked), len(QUANTILES)), np.nan)
        for code, path in enumerate(self.paths):
            rows = path_of_cell == code
            for place, law in enumerate((path.p50, path.p99)):
                if law is not None:
                    found_us[rows, place] = law.latency_us(load_mpps[rows], service_ns[rows])
        return found_us

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
        capacity = Capacity.fit(capacity_training(training))
    except BadInputError:
        return None
    paths, watched = [], _watched(split)
    for code in np.unique(training.cells.pair):
        rows = training.take(training.cells.pair == code)
        if len(rows) >= ROWS_MIN:
            path = _fit_path(rows, training.cells.pairs[code], capacity)
            paths.append(replace(path, stalls_watched=bool(watched[rows.row].all())))
    if not paths:
        return None
    model = LatencyModel(capacity=capacity, paths=tuple(paths), domain=domain_of(training))
    return _with_quantiles(model, split)


def _watched(split: pd.DataFrame) -> Mask:
    """Whether a probe watched for stalls beside each run, shape (n,)."""
    if "stall_watched_ns" not in split.columns:
        return np.zeros(len(split), dtype=np.bool_)
    watched: Mask = (split["stall_watched_ns"].fillna(0) > 0).to_numpy(dtype=np.bool_)
    return watched


def _with_quantiles(model: LatencyModel, split: pd.DataFrame) -> LatencyModel:
    """Fit p50 and p99 to the runs of each path that have them."""
    if not {"latency_p50_us", "latency_p99_us"} <= set(split.columns):
        return model
    paths = []
    for path in model.paths:
        of_pair = split["datapath"] == path.pair.datapath
        if "program" in split.columns:
            of_pair &= split["program"] == path.pair.program
        rows = split[of_pair]
        load_mpps, service_ns = _of_queue(model.capacity, cells_of(rows, model.pairs))
        p50, p99 = (
            fit_quantile(load_mpps, service_ns, rows[f"latency_{name}_us"].to_numpy(np.float64))
            for name in ("p50", "p99")
        )
        paths.append(replace(path, p50=p50, p99=p99))
    return replace(model, paths=tuple(paths))


def _of_queue(capacity: Capacity, cells: Cells) -> tuple[Array, Array]:
    """Load of one queue in Mpps, and the time of its packet in ns, shape (n,) each."""
    load_mpps = np.minimum(cells.offered_mpps, cells.line_mpps) / cells.queues
    return load_mpps, 1e3 * cells.queues / _capacity_mpps(capacity, cells)


def _fit_path(rows: Training, pair: Pair, capacity: Capacity) -> PathLatency:
    capacity_mpps, queues = _capacity_mpps(capacity, rows.cells), rows.cells.queues
    load_mpps = np.minimum(rows.cells.offered_mpps, rows.cells.line_mpps) / queues
    service_ns = 1e3 * queues / capacity_mpps
    path = PathLatency(pair=pair, ring_packets=float(RING_PACKETS), fixed_us=0.0, setup_us=0.0)
    path = fit_below(path, load_mpps, service_ns, rows.latency_us)
    full = load_mpps * service_ns * 1e-3 >= OVERLOADED
    if full.any():
        ring = fit_ring(1e-3 * service_ns[full], rows.latency_us[full], path.fixed_us)
        path = replace(path, ring_packets=max(ring, 1.0))
    path = with_reach(path, load_mpps, service_ns, rows.latency_us, rows.group)
    wake_us = fit_wake_us(load_mpps, service_ns, rows.busy, path.setup_us)
    return replace(path, wake_us=wake_us)
