"""Error of predicted CPU shares on groups that were held out.

Utilisation is offered rate over predicted capacity. Shares sampled by ticks miss short bursts, so
below a load of half a million packets a core and second what was sampled is learnt from the runs;
a socket's cores also work for packets that the socket cannot take, so that there it is learnt
over the load of a core.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linerate.errors import bad_input
from linerate.models.capacity import Capacity
from linerate.models.capacity_form import SOCKET_DATAPATHS
from linerate.models.cells import Array, Cells, Mask
from linerate.models.folds import Split, partitions
from linerate.models.queueing.sampled import MISSED_BELOW_MPPS, fit_sampled
from linerate.models.training import Training
from linerate.models.validation import FOLDS


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuScore:
    """Mean absolute error of CPU shares, in points of percent, over runs."""

    name: str
    """Datapath and program, or ``all``."""
    runs: int
    points: float
    """Of the prediction."""
    utilisation_points: float
    """Of utilisation as it is, without what sampling misses."""


def validate_cpu(training: Training, *, by: Split, rng: np.random.Generator) -> list[CpuScore]:
    """Predict the CPU shares of runs held out, with capacity and curves of the others only.

    Raises
    ------
    BadInputError
        No run has a CPU share, or nothing is left to fit.
    """
    if not np.isfinite(training.busy).any():
        raise bad_input("cpu_busy_ratio", "none", why="no run has a CPU share",
                        allowed="runs with cpu_busy_ratio", do="measure it")  # fmt: skip
    pairs, errors = [], []
    for seen, held in partitions(training, by, FOLDS, rng):
        held = held.take(np.isin(held.cells.pair, np.unique(seen.cells.pair)))
        model = Capacity.fit(seen)
        load = utilisations(model, held.cells)
        said = sampled_shares(model, seen, held.cells)
        pairs.append(held.cells.pair)
        errors.append(100.0 * np.stack([said - held.busy, load - held.busy]))
    return _scores(training, np.concatenate(pairs), np.abs(np.concatenate(errors, axis=1)))


def utilisations(model: Capacity, cells: Cells) -> Array:
    """Offered over capacity, at most 1, shape (n,)."""
    offered_mpps = np.minimum(cells.offered_mpps, cells.line_mpps)
    return np.asarray(np.minimum(1.0, offered_mpps / model.limits(cells).service_mpps))


def sampled_shares(model: Capacity, seen: Training, cells: Cells) -> Array:
    """Shares of cells as ticks see them, learnt from runs, shape (n,)."""
    shares = utilisations(model, cells)
    for code, pair in enumerate(cells.pairs):
        socket = pair.datapath in SOCKET_DATAPATHS
        own, asked = (some.pair == code for some in (seen.cells, cells))
        if not socket:
            own, asked = own & _missed(seen.cells), asked & _missed(cells)
        of_seen = _loads(seen.cells) if socket else utilisations(model, seen.cells)
        of_asked = _loads(cells) if socket else shares
        curve = fit_sampled(of_seen[own], seen.busy[own])
        if curve.levels:
            shares[asked] = curve.at(of_asked[asked])
    return shares


def _loads(cells: Cells) -> Array:
    return np.asarray(np.minimum(cells.offered_mpps, cells.line_mpps) / cells.queues)


def _missed(cells: Cells) -> Mask:
    return np.asarray(_loads(cells) < MISSED_BELOW_MPPS)


def _scores(training: Training, pair: np.ndarray, errors: Array) -> list[CpuScore]:
    known = np.isfinite(errors).all(axis=0)
    rows = [("all", known)]
    rows += [(str(name), known & (pair == code)) for code, name in enumerate(training.cells.pairs)]
    return [
        CpuScore(name=name, runs=int(some.sum()), points=float(errors[0, some].mean()),
                 utilisation_points=float(errors[1, some].mean()))
        for name, some in rows if some.any()
    ]  # fmt: skip
