"""A capacity model of one's own: every datapath and program has one time of a packet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from linerate.models.runs.cells import Cells, Pair
from linerate.models.runs.limits import SERVICE, Limits, ceilings
from linerate.models.runs.parameters import UNKNOWN, Parameter
from linerate.models.runs.training import Training


@dataclass(frozen=True, slots=True, kw_only=True)
class Straight:
    """Rate over queues, the same whatever a packet accesses."""

    name: ClassVar[str] = "straight"
    pairs: tuple[Pair, ...]
    packet_ns: tuple[float, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """Nothing that could not be identified."""
        return ()

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Time of a packet on each path."""
        return tuple(
            Parameter(name=f"{pair} packet ns", value=ns, lower=UNKNOWN[0], upper=UNKNOWN[1])
            for pair, ns in zip(self.pairs, self.packet_ns, strict=True)
        )

    @classmethod
    def fit(cls, training: Training) -> Self:
        """Take the median of each path."""
        times = 1e3 * training.cells.queues / training.forwarded_mpps
        pairs = training.pairs_seen
        own = [training.cells.pairs.index(pair) for pair in pairs]
        medians = [float(np.median(times[training.cells.pair == code])) for code in own]
        return cls(pairs=pairs, packet_ns=tuple(medians))

    def refit(self, training: Training) -> Self:
        """There is no structure to keep."""
        return self.fit(training)

    def limits(self, cells: Cells) -> Limits:
        """Packets a second that the queues serve, and the line."""
        times_ns = np.array(self.packet_ns)[cells.of_pairs(self.pairs).pair]
        ceiling_mpps, ceiling = ceilings(cells)
        return Limits(
            service_mpps=1e3 * cells.queues / times_ns, ceiling_mpps=ceiling_mpps,
            service=np.full(len(cells), SERVICE, dtype=np.int8), ceiling=ceiling,
        )  # fmt: skip
