"""A fitted law, and what it leaves over of the runs of each group that was seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from linerate.models.capacity.model import Capacity
from linerate.models.loads.effects import Sizes, Spreads
from linerate.models.runs.cells import Array, Cells, Codes, Mask
from linerate.models.runs.limits import Limits
from linerate.models.runs.training import Training

BELOW = 0.97
"""Share of its ceiling below which a run's residual is the servers'."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """A law and what it leaves over of the runs that were seen."""

    model: Capacity
    groups: dict[int, Sizes]
    pair_of: dict[int, int]

    @classmethod
    def of(cls, model: Capacity, seen: Training) -> Self:
        """Take what a law leaves over of the runs below their ceiling."""
        limits = model.limits(seen.cells)
        share = access_share(model, seen.cells, limits.service_mpps)
        residual = np.log(seen.forwarded_mpps / limits.service_mpps)
        kept = below(seen, limits)
        groups, pair_of = {}, {}
        for group in np.unique(seen.group[kept]):
            rows = kept & (seen.group == group)
            groups[int(group)] = Sizes(
                residual=residual[rows], share=share[rows], load=seen.load[rows],
                doublings=np.log2(seen.cells.frame_bytes[rows]),
            )  # fmt: skip
            pair_of[int(group)] = int(seen.cells.pair[rows][0])
        return cls(model=model, groups=groups, pair_of=pair_of)

    def spreads(self) -> dict[int, Spreads]:
        """Fit the spreads of each path, by the code of its pair."""
        return {pair: Spreads.fit([self.groups[group] for group, own in self.pair_of.items()
                                   if own == pair])
                for pair in set(self.pair_of.values())}  # fmt: skip

    def rates_mpps(
        self, spreads: dict[int, Spreads], cells: Cells, groups: Codes
    ) -> tuple[Limits, Array]:
        """Give the law's limits, and the rates where no limit holds, of the loads that were seen.

        Parameters
        ----------
        spreads
            Of each path, by the code of its pair.
        cells
            n that are asked about.
        groups
            Theirs, shape (n,); one that was not seen below its ceiling takes the law's rate.
        """
        limits = self.model.limits(cells)
        share = access_share(self.model, cells, limits.service_mpps)
        effects = np.array([
            spreads[self.pair_of[group]].expected(self.groups[group], part, np.log2(size))
            if group in self.groups else 0.0
            for group, part, size in zip(groups.tolist(), share, cells.frame_bytes, strict=True)
        ])  # fmt: skip
        return limits, limits.service_mpps * np.exp(effects)


def access_share(model: Capacity, cells: Cells, service_mpps: Array) -> Array:
    """Share of a packet's time that its accesses take, shape (n,)."""
    costs = {path.pair: path for path in model.paths}
    own = [costs[cells.pairs[code]] for code in cells.pair]
    servers = np.where([path.form.single_socket for path in own], 1.0, cells.queues)
    access_ns = np.array([path.access_ns for path in own])
    return np.asarray(access_ns * cells.memory_accesses * service_mpps / (servers * 1e3))


def below(runs: Training, limits: Limits) -> Mask:
    """Whether runs tell of the servers, shape (n,)."""
    return np.asarray(runs.forwarded_mpps < BELOW * limits.ceiling_mpps)
