"""Error of predicted CPU shares on groups that were held out.

Utilisation is offered rate over predicted capacity. A core that looks for work when it has none is
busier than that, by a share of its idle time. Shares sampled by ticks miss short bursts, so
below a load of half a million packets a core and second what was sampled is learnt from the runs;
a socket's cores also work for packets that the socket cannot take, so that there it is learnt
over the load of a core.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from linerate.errors import bad_input
from linerate.models.capacity.form import SOCKET_DATAPATHS
from linerate.models.capacity.model import Capacity
from linerate.models.latency.sampled import MISSED_BELOW_MPPS, fit_sampled
from linerate.models.runs.cells import Array, Cells, Mask
from linerate.models.runs.training import Training
from linerate.models.validation.folds import Split, partitions
from linerate.models.validation.validation import FOLDS

IDLE_BELOW, BUSIER = 0.9, 0.03
"""Utilisation below which a core has idle time, and how much busier it is seen to be where it is
busy with looking for work."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuValidation:
    """Scores of all runs, then of each path."""

    scores: tuple[CpuScore, ...]

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {"cpu": [asdict(score) for score in self.scores]}

    def lines(self) -> list[str]:
        """Say it in words, a line a score."""
        return [f"{one.name}: CPU share {one.points:.1f} points off over {one.runs} runs"
                for one in self.scores]  # fmt: skip


def validate_cpu(training: Training, *, by: Split, rng: np.random.Generator) -> CpuValidation:
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
        model = Capacity.fit(seen)
        load = utilisations(model, held.cells)
        predicted = sampled_shares(model, seen, held.cells)
        pairs.append(held.cells.pair)
        errors.append(100.0 * np.stack([predicted - held.busy, load - held.busy]))
    scores = _scores(training, np.concatenate(pairs), np.abs(np.concatenate(errors, axis=1)))
    return CpuValidation(scores=tuple(scores))


def utilisations(model: Capacity, cells: Cells) -> Array:
    """Offered over capacity, at most 1, shape (n,)."""
    offered_mpps = np.minimum(cells.offered_mpps, cells.line_mpps)
    return np.asarray(np.minimum(1.0, offered_mpps / model.limits(cells).service_mpps))


def sampled_shares(model: Capacity, seen: Training, cells: Cells) -> Array:
    """Shares of cells as ticks see them, learnt from runs, shape (n,)."""
    shares, of_seen = utilisations(model, cells), utilisations(model, seen.cells)
    for code, pair in enumerate(cells.pairs):
        own, asked = (some.pair == code for some in (seen.cells, cells))
        if pair.datapath in SOCKET_DATAPATHS:
            curve = fit_sampled(_loads(seen.cells)[own], seen.busy[own])
            if curve.levels:
                shares[asked] = curve.at(_loads(cells)[asked])
            continue
        if _looks_for_work(of_seen[own], seen.busy[own]):
            shares[asked] += idle_share(of_seen[own], seen.busy[own]) * (1.0 - shares[asked])
            continue
        low, asked = own & _missed(seen.cells), asked & _missed(cells)
        curve = fit_sampled(of_seen[low], seen.busy[low])
        if curve.levels:
            shares[asked] = curve.at(shares[asked])
    return shares


def _looks_for_work(utilisation: Array, busy: Array) -> bool:
    """Whether idle cores are seen busier than they serve: ticks, which miss bursts, do not so."""
    idle = (utilisation < IDLE_BELOW) & np.isfinite(busy)
    return bool(idle.any()) and float(np.median((busy - utilisation)[idle])) > BUSIER


def idle_share(utilisation: Array, busy: Array) -> float:
    """Share of its idle time that a core is busy with looking for work, 0 to 1.

    Packets that come in bursts, or one by one, cost more than those of a full batch, and a core
    that has little to do looks for each anew: ``busy = rho + share * (1 - rho)``, least squares.

    >>> idle_share(np.array([0.0, 0.5, 1.0]), np.array([0.2, 0.6, 1.0])).__round__(3)
    0.2
    """
    known = np.isfinite(busy)
    idle = 1.0 - utilisation[known]
    total = float(idle @ idle)
    share = float(idle @ (busy[known] - utilisation[known])) / total if total else 0.0
    return float(np.clip(share, 0.0, 1.0))


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
