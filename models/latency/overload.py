"""Latency in overload of runs that were flooded: their machine's ring over the predicted rate."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from linerate.errors import BadInputError
from linerate.line_rate import SUSTAINED_RATIO
from linerate.models.capacity.form import SOCKET_DATAPATHS
from linerate.models.capacity.model import Capacity
from linerate.models.intervals.domain import Domain, domain_of
from linerate.models.latency.socket_ring import SLOWER, SocketRing, fit_socket_ring, socket_rates
from linerate.models.queueing.textbook.full_ring import overload_latency_us
from linerate.models.runs.cells import Array, Cells, Codes, Mask, Pair, cells_of
from linerate.models.runs.training import Training, training_of

ROWS_MIN = 4
"""Overloaded runs with a latency that a table needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring:
    """Packets that one queue of the machine held in one repetition."""

    repetition: int
    packets: float
    runs: int
    """Overloaded runs it was read off."""

    def __str__(self) -> str:
        return f"{self.packets:.0f} packets in repetition {self.repetition}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Overload:
    """Latency of paths whose every queue is full.

    The ring of a card is a setting that a table may not tell, and repetitions were seen to differ
    in it. So each repetition has a ring of its own, read off its overloaded runs: latency times
    rate over queues.
    """

    capacity: Capacity
    """Of the repetitions in which latency was measured."""
    pairs: tuple[Pair, ...]
    """Datapaths and programs that were overloaded."""
    rings: tuple[Ring, ...]
    sockets: tuple[SocketRing, ...] = ()
    """Of the paths that have a ring behind the card's."""
    fixed_us: float = 0.0
    """Time outside the ring: generator, wire and card."""
    domain: Domain | None = None
    """Ranges of the overloaded runs."""

    @property
    def ring_packets(self) -> float:
        """Ring of a repetition that is not known: that of most runs."""
        return max(self.rings, key=lambda ring: ring.runs).packets

    def latency_us(
        self, cells: Cells, repetition: Codes | None = None, forwarded_mpps: Array | None = None
    ) -> Array:
        """Mean latency, shape (n,); nan where the cell is not overloaded.

        Parameters
        ----------
        cells
            n cells.
        repetition
            Of each, whose ring counts; that of most runs where it is not known.
        forwarded_mpps
            Rate that each was measured at with its program load, nan where it was not: it is
            predicted then.

        Raises
        ------
        BadInputError
            A pair that was not overloaded in the runs.
        """
        cells.of_pairs(self.pairs)
        packets = self.packets_of(repetition, len(cells))
        limits = self.capacity.limits(cells)
        rate_mpps = limits.service_mpps
        if forwarded_mpps is not None:
            rate_mpps = np.where(forwarded_mpps > 0.0, forwarded_mpps, rate_mpps)
        waited_us = overload_latency_us(packets, cells.queues, rate_mpps)
        rates = socket_rates(self.capacity, cells, rate_mpps)
        for socket in self.sockets:
            own = np.asarray([cells.pairs[code] == socket.pair for code in cells.pair])
            waited_us = np.where(own, socket.latency_us(rates, packets), waited_us)
        return np.where(limits.by_service, waited_us + self.fixed_us, np.nan)

    def packets_of(self, repetition: Codes | None, count: int) -> Array:
        """Packets of the card's ring in each repetition, shape (count,)."""
        known = {ring.repetition: ring.packets for ring in self.rings}
        asked = np.full(count, -1) if repetition is None else repetition
        return np.asarray([known.get(int(each), self.ring_packets) for each in asked])

    def predict(self, table: pd.DataFrame) -> Array:
        """Mean latency of cells of a table that has ``offered_mpps``, as ``latency_us``.

        Where the table has ``forwarded_mpps``, a rate that was measured, it counts.
        """
        return self.latency_us(cells_of(table, self.pairs), forwarded_mpps=measured_mpps(table))

    def __str__(self) -> str:
        rings = ", ".join(map(str, self.rings))
        first = (
            f"in overload latency = ring * queues / Mpps + {self.fixed_us:.3g} us; "
            f"ring of a queue: {rings}"
        )
        return "\n".join([first, *map(str, self.sockets)])


def measured_mpps(table: pd.DataFrame) -> Array:
    """Rates that were measured, shape (n,); nan where a table has none."""
    if "forwarded_mpps" not in table.columns:
        return np.full(len(table), np.nan)
    rates: Array = table["forwarded_mpps"].to_numpy(dtype=np.float64)
    return rates


def overloaded(runs: Training) -> Mask:
    """Find runs with a latency whose queues were full, shape (n,): less came back than offered.

    Of sockets less than the share of one queue, as one socket returns no more.
    """
    of_socket = on_socket(runs)
    most_mpps = runs.ceiling_mpps / np.where(of_socket, runs.cells.queues, 1.0)
    share = np.where(of_socket, SLOWER, SUSTAINED_RATIO)
    return np.asarray((runs.forwarded_mpps < share * most_mpps) & (runs.latency_us > 0.0))


def on_socket(runs: Training) -> Mask:
    """Find runs that hand packets to a user thread, shape (n,)."""
    socket = [pair.datapath in SOCKET_DATAPATHS for pair in runs.cells.pairs]
    return np.asarray(socket, dtype=np.bool_)[runs.cells.pair]


def flooded_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Take the runs of the repetitions that have a latency, of tables without modes of a lab."""
    if "mode" in runs.columns and bool(runs["mode"].notna().any()):
        return runs.iloc[:0]
    timed = runs[runs["latency_mean_us"] > 0.0]
    return runs[runs["repetition"].isin(timed["repetition"].unique())]


def fit_overload(runs: pd.DataFrame) -> Overload | None:
    """Fit rings and capacity to the repetitions of a table in which latency was measured.

    Returns
    -------
    None where too few such runs were overloaded, or their capacity cannot be fitted.

    References
    ----------
    Little, Operations Research 9 (1961).
    """
    flooded = flooded_runs(runs)
    if int((flooded["latency_mean_us"] > 0.0).sum()) < ROWS_MIN:
        return None
    try:
        training = training_of(flooded)
        full = training.take(overloaded(training))
        if int((~on_socket(full)).sum()) < ROWS_MIN:
            return None
        capacity = Capacity.fit(training.take(np.isin(training.cells.pair, full.cells.pair)))
    except BadInputError:
        return None
    repetition = flooded["repetition"].to_numpy()[full.row].astype(int)
    model = Overload(capacity=capacity, pairs=full.pairs_seen, rings=(), domain=domain_of(full))
    socket = on_socket(full)
    return _with_sockets(_with_rings(model, full.take(~socket), repetition[~socket]),
                         full.take(socket), repetition[socket])  # fmt: skip


def _with_rings(model: Overload, full: Training, repetition: Codes) -> Overload:
    """Read a ring of each repetition, and the time that all share, off measured rates."""
    from scipy.optimize import nnls  # slow to load

    known, which = np.unique(repetition, return_inverse=True)
    per_packet_us = full.cells.queues / full.forwarded_mpps
    terms = np.column_stack([np.eye(known.size)[which] * per_packet_us[:, None],
                             np.ones(len(full))])  # fmt: skip
    # Relative errors count, as rates span decades.
    values, _ = nnls(terms / full.latency_us[:, None], np.ones(len(full)))
    rings = tuple(
        Ring(repetition=int(each), packets=float(packets), runs=int((which == index).sum()))
        for index, (each, packets) in enumerate(zip(known, values[:-1], strict=True))
    )
    return replace(model, rings=rings, fixed_us=float(values[-1]))


def _with_sockets(model: Overload, full: Training, repetition: Codes) -> Overload:
    """Fit the rings of sockets, at measured rates."""
    rings = []
    for code in np.unique(full.cells.pair):
        own = full.cells.pair == code
        runs = full.take(own)
        rates = socket_rates(model.capacity, runs.cells, runs.forwarded_mpps)
        packets = model.packets_of(repetition[own], len(runs))
        waited_us = np.maximum(runs.latency_us - model.fixed_us, 1e-3)
        rings.append(fit_socket_ring(full.cells.pairs[code], rates, packets, waited_us))
    return replace(model, sockets=tuple(rings))
