"""A model of program loads that were measured, for frame sizes that were not measured of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from linerate.errors import bad_input
from linerate.models.capacity.model import Capacity
from linerate.models.intervals.scores import Bucket, Held, buckets_of, held_of, parts_of
from linerate.models.loads.effects import Spreads
from linerate.models.loads.law import Law, below
from linerate.models.runs.cells import Array, Cells, Codes, cells_at
from linerate.models.runs.training import Training
from linerate.models.validation.folds import hold_out

OF_GROUP = ("memory_accesses", "queues")
"""Factors that, beside datapath and program, all runs of a group share."""
SURE = 0.002
"""Log half-width of any rate."""
SIZES_MIN = 3
"""Frame sizes that a table needs: one is held out, and another of those that are left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadsAnswer:
    """The median of loads that were measured, at another frame size."""

    predicted_mpps: float
    lower_mpps: float
    upper_mpps: float
    """Ends of the 90 % interval."""
    line_rate_mpps: float
    loads: int
    """Of the program, that were seen."""
    sizes: tuple[float, ...]
    """Frame sizes at which they were, B with FCS."""

    def __str__(self) -> str:
        sizes = ", ".join(f"{size:g}" for size in self.sizes)
        ends = f"{self.lower_mpps:.4g} to {self.upper_mpps:.4g}, 90 % of medians"
        return (
            f"{self.predicted_mpps:.4g} Mpps ({ends}) of {self.line_rate_mpps:.4g} Mpps line rate: "
            f"the median of {self.loads} loads that were measured at {sizes} B"
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoadsModel:
    """A law, what it leaves over of each group, and how far off that is at sizes not seen."""

    law: Law
    spreads: dict[int, Spreads]
    buckets: tuple[Bucket, ...]
    training: Training

    @classmethod
    def fit(cls, training: Training) -> LoadsModel:
        """Fit law and effects, and score each frame size by the others.

        Raises
        ------
        BadInputError
            No load was measured at several frame sizes.
        """
        if not has_seen_loads(training):
            raise bad_input(
                "runs", len(training), why="each run is a load of its own, or has one frame size",
                allowed=f"loads that were measured at {SIZES_MIN} frame sizes or more",
                do="ask about a new load: linerate fit, then predict",
            )  # fmt: skip
        law = Law.of(Capacity.fit(training), training)
        spreads = law.spreads()
        held = _scores(law, spreads, training)
        return cls(law=law, spreads=spreads, training=training,
                   buckets=buckets_of(held, training.cells.pairs))  # fmt: skip

    def predict_cells(self, cells: Cells, groups: Codes) -> tuple[Array, Array]:
        """Predict medians of the loads of each cell's group.

        Returns
        -------
        Mpps, at most the ceiling, and log half-widths of their 90 % interval, shape (n,) each.
        """
        limits, mpps = self.law.rates_mpps(self.spreads, cells, groups)
        reach = np.zeros(len(cells))
        for rows, bucket in parts_of(self.buckets, cells, limits):
            reach[rows] = bucket.half_width()
        served = mpps < limits.ceiling_mpps
        return (np.minimum(mpps, limits.ceiling_mpps),
                np.where(served, np.maximum(reach, SURE), SURE))  # fmt: skip

    def predict(self, cell: Mapping[str, object]) -> LoadsAnswer:
        """Predict one cell: ``datapath, memory_accesses, queues, frame_bytes, link_gbps``.

        Raises
        ------
        BadInputError
            No load of this group was measured.
        """
        asked = cells_at([cell], self.training.pairs_seen)
        known = self.training.cells
        pair = known.pairs.index(asked.pairs[int(asked.pair[0])])
        same = (known.pair == pair) & np.all(
            [getattr(known, name) == getattr(asked, name)[0] for name in OF_GROUP], axis=0
        )
        if not same.any():
            raise bad_input(
                "cell", ", ".join(f"{name}={cell[name]}" for name in OF_GROUP),
                why=f"no load of {known.pairs[pair]} was measured with these",
                allowed="accesses and queues that were measured of the load",
                do="ask about a new load: linerate fit, then predict",
            )  # fmt: skip
        mpps, reach = self.predict_cells(asked, self.training.group[same][:1])
        line = float(asked.line_mpps[0])
        return LoadsAnswer(
            predicted_mpps=float(mpps[0]), lower_mpps=float(mpps[0] * np.exp(-reach[0])),
            upper_mpps=min(line, float(mpps[0] * np.exp(reach[0]))), line_rate_mpps=line,
            loads=np.unique(self.training.load[same]).size,
            sizes=tuple(map(float, np.unique(known.frame_bytes[same]))),
        )  # fmt: skip


def has_seen_loads(training: Training) -> bool:
    """Whether loads were measured at several frame sizes each, so that one shows another."""
    sizes = training.cells.frame_bytes
    pairs = np.unique(np.column_stack([training.load, sizes]), axis=0)
    of_load = np.unique(pairs[:, 0], return_counts=True)[1]
    return np.unique(sizes).size >= SIZES_MIN and bool(np.median(of_load) >= SIZES_MIN)


def _scores(law: Law, spreads: dict[int, Spreads], seen: Training) -> Held:
    """Score medians of each size by law and effects of the others."""
    parts: list[Held] = []
    for held in hold_out(np.unique(seen.cells.frame_bytes, return_inverse=True)[1]):
        others, medians = seen.take(~held), seen.take(held).medians()
        again = Law.of(law.model.refit(others), others)
        limits, mpps = again.rates_mpps(spreads, medians.cells, medians.group)
        score = np.log(medians.forwarded_mpps / mpps)
        scored = replace(held_of(medians, limits), score=score)
        parts.append(scored.take(below(medians, limits)))
    return Held(**{name: np.concatenate([getattr(part, name) for part in parts])
                   for name in Held.__slots__})  # fmt: skip
