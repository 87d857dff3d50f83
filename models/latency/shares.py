"""CPU share of each path as sampling sees it, learnt over utilisation or over a core's load.

Utilisation is offered rate over predicted capacity. A core that looks for work when it has none is
busier than that, by a share of its idle time. Shares sampled by ticks miss short bursts, so below
a load of half a million packets a core and second what was sampled is learnt from the runs; a
socket's cores also work for packets that the socket cannot take, so that there it is learnt over
the load of a core.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from linerate.errors import BadInputError
from linerate.models.capacity.form import SOCKET_DATAPATHS
from linerate.models.capacity.model import Capacity
from linerate.models.latency.busy import utilisation
from linerate.models.latency.sampled import MISSED_BELOW_MPPS, SampledShare, fit_sampled
from linerate.models.runs.cells import Array, Cells, Pair
from linerate.models.runs.training import Training, training_of

IDLE_BELOW, BUSIER = 0.9, 0.03
"""Utilisation below which a core has idle time, and how much busier it is seen to be where it is
busy with looking for work."""
NOTHING = SampledShare(levels=(), shares=())


@dataclass(frozen=True, slots=True, kw_only=True)
class PathShare:
    """How busy the cores of one path are seen to be."""

    pair: Pair
    by_load: SampledShare = NOTHING
    """Over the load of a core, Mpps, where that tells more than utilisation."""
    idle_share: float = 0.0
    """Share of its idle time that a core looks for work, 0 to 1."""
    by_utilisation: SampledShare = NOTHING
    """Over utilisation, below ``MISSED_BELOW_MPPS`` of a core."""

    def of(self, used: Array, load_mpps: Array) -> Array:
        """Read off the sampled share at a utilisation and a load of each core, shape (n,)."""
        if self.by_load.levels:
            return self.by_load.at(load_mpps)
        if self.idle_share:
            return np.asarray(used + self.idle_share * (1.0 - used))
        missed = load_mpps < MISSED_BELOW_MPPS
        return np.where(missed, self.by_utilisation.at(used), used)

    def __str__(self) -> str:
        return f"{self.pair}: {self._law()}"

    def _law(self) -> str:
        if self.by_load.levels:
            return "busy rises with a core's load, as sampled"
        if self.idle_share:
            return f"busy = rho + {self.idle_share:.3g} (1 - rho)"
        if self.by_utilisation.levels:
            return f"busy = rho; below {MISSED_BELOW_MPPS:g} Mpps a core, as sampled"
        return "busy = rho"


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuShares:
    """CPU share of every path; ``rho`` is offered rate over capacity, at most 1."""

    paths: tuple[PathShare, ...]

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Datapaths and programs whose shares were measured."""
        return tuple(path.pair for path in self.paths)

    def predict_cells(self, cells: Cells, service_mpps: Array) -> Array:
        """Predict sampled shares of cells.

        Parameters
        ----------
        cells
            Their offered rate counts, at most line rate.
        service_mpps
            What the cores alone would forward, shape (n,).

        Returns
        -------
        Shape (n,), 0 to 1; utilisation for paths without measured shares.
        """
        used, load_mpps = utilisations(cells, service_mpps), _loads(cells)
        shares = used.copy()
        for path in self.paths:
            if path.pair in cells.pairs:
                asked = cells.pair == cells.pairs.index(path.pair)
                shares[asked] = path.of(used[asked], load_mpps[asked])
        return shares

    def __str__(self) -> str:
        return "\n".join(map(str, self.paths))


def fit_shares(runs: pd.DataFrame) -> CpuShares | None:
    """Fit on the runs that capacity is fitted on; None where no share was measured."""
    try:
        training = training_of(runs)
    except BadInputError:
        return None  # no runs of memory accesses: nothing that tells capacity
    if not np.isfinite(training.busy).any():
        return None
    return shares_of(training, Capacity.fit(training))


def shares_of(training: Training, model: Capacity) -> CpuShares:
    """Learn shares from runs, given their capacity."""
    service_mpps = model.limits(training.cells).service_mpps
    used = utilisations(training.cells, service_mpps)
    load_mpps, busy = _loads(training.cells), training.busy
    own = [training.cells.pair == code for code in range(len(training.cells.pairs))]
    return CpuShares(paths=tuple(
        _path(pair, used[rows], load_mpps[rows], busy[rows])
        for pair, rows in zip(training.cells.pairs, own, strict=True)
        if np.isfinite(busy[rows]).any()
    ))  # fmt: skip


def utilisations(cells: Cells, service_mpps: Array) -> Array:
    """Offered over capacity, at most 1, shape (n,)."""
    return utilisation(np.minimum(cells.offered_mpps, cells.line_mpps), service_mpps)


def _path(pair: Pair, used: Array, load_mpps: Array, busy: Array) -> PathShare:
    if pair.datapath in SOCKET_DATAPATHS:
        return PathShare(pair=pair, by_load=fit_sampled(load_mpps, busy))
    if _looks_for_work(used, busy):
        return PathShare(pair=pair, idle_share=idle_share(used, busy))
    low = load_mpps < MISSED_BELOW_MPPS
    return PathShare(pair=pair, by_utilisation=fit_sampled(used[low], busy[low]))


def _looks_for_work(used: Array, busy: Array) -> bool:
    """Whether idle cores are seen busier than they serve: ticks, which miss bursts, do not so."""
    idle = (used < IDLE_BELOW) & np.isfinite(busy)
    return bool(idle.any()) and float(np.median((busy - used)[idle])) > BUSIER


def idle_share(used: Array, busy: Array) -> float:
    """Share of its idle time that a core is busy with looking for work, 0 to 1.

    Packets that come in bursts, or one by one, cost more than those of a full batch, and a core
    that has little to do looks for each anew: ``busy = rho + share * (1 - rho)``, least squares.

    >>> idle_share(np.array([0.0, 0.5, 1.0]), np.array([0.2, 0.6, 1.0])).__round__(3)
    0.2
    """
    known = np.isfinite(busy)
    idle = 1.0 - used[known]
    total = float(idle @ idle)
    share = float(idle @ (busy[known] - used[known])) / total if total else 0.0
    return float(np.clip(share, 0.0, 1.0))


def _loads(cells: Cells) -> Array:
    return np.asarray(np.minimum(cells.offered_mpps, cells.line_mpps) / cells.queues)
