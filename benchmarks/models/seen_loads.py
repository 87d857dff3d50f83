"""One frame size held out, of loads that were seen and of new ones: errors and intervals.

``python -m benchmarks.models.seen_loads RUNS``. A new load is answered by the law alone, as by
``predict``. Of a load that was seen its other sizes are known: what the law leaves of them is taken
for effects of the group and of the load, on an access and on a packet, those of the group alike
only for sizes that are near each other. Everything is nested: law, spreads, effects and scores of
the intervals come from the sizes that are not held out; a score is that of a size which is left out
of these again, over the standard deviation that is expected of it or as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
from benchmarks.models.load_effects import BELOW, access_share
from scipy.optimize import minimize

from linerate.models import Capacity, Training, training_of
from linerate.models.intervals.scores import Held, buckets_of, held_of, parts_of
from linerate.models.runs.cells import Array, Codes, Mask
from linerate.models.runs.limits import Limits
from linerate.models.validation.folds import hold_out
from linerate.models.validation.spread import spread
from linerate.tables.runs import read_runs

STARTS = (-4.0, -2.5, -4.0, -5.0, 1.0, -4.0), (-6.0, -3.0, -3.0, -4.0, 0.5, -4.0)
"""Logs of the constants that a search begins with."""
LOGS = (-9.0, 3.0)
"""What they may be."""
UNKNOWN = 0.05
"""Standard deviation of what nothing is known of."""
SURE = 0.002
"""Log half-width of any rate."""
ROWS = ("load new", "load seen")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """What a law leaves over of n runs of one group; every array has shape (n,)."""

    residual: Array
    share: Array
    """Of a packet's time that accesses take."""
    load: Codes
    doublings: Array
    """Of the frame's size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spreads:
    """Standard deviations of the effects on a path."""

    group_access: float
    load_access: float
    group: float
    load: float
    near: float
    """Doublings of a size over which a group's effect is alike."""
    noise: float

    def shared(self, one: Sizes, other: Sizes) -> Array:
        """Covariance of the effects of two sets of runs, shape (n, m)."""
        alike = one.load[:, None] == other.load[None, :]
        apart = np.abs(one.doublings[:, None] - other.doublings[None, :])
        access = self.group_access**2 + self.load_access**2 * alike
        packet = self.group**2 * np.exp(-apart / self.near) + self.load**2 * alike
        return np.asarray(np.outer(one.share, other.share) * access + packet)

    def covariance(self, seen: Sizes) -> Array:
        """Covariance of residuals, shape (n, n)."""
        return self.shared(seen, seen) + self.noise**2 * np.eye(seen.load.size)

    def unlikely(self, seen: Sizes) -> float:
        """Minus the log likelihood of one group's residuals, but for a constant."""
        root = np.linalg.cholesky(self.covariance(seen))
        white = np.linalg.solve(root, seen.residual)
        return float(0.5 * white @ white + np.log(np.diag(root)).sum())

    def expected(self, seen: Sizes, share: float, doublings: float) -> tuple[float, float]:
        """Expect what the loads seen share at a size, their median, and its standard deviation."""
        loads = np.unique(seen.load)
        asked = Sizes(residual=np.zeros(loads.size), share=np.full(loads.size, share), load=loads,
                      doublings=np.full(loads.size, doublings))  # fmt: skip
        known, covariance = self.shared(asked, seen), self.covariance(seen)
        effect = float(np.median(known @ np.linalg.solve(covariance, seen.residual)))
        mean = known.mean(axis=0)
        left = self.shared(asked, asked).mean() - mean @ np.linalg.solve(covariance, mean)
        return effect, float(np.sqrt(max(left, 0.0) + self.noise**2 / loads.size))

    @classmethod
    def fit(cls, groups: list[Sizes]) -> Self:
        """Find the spreads that make the residuals of all groups of a path most likely."""

        def of(logs: Array) -> Self:
            return cls(**dict(zip(cls.__slots__, map(float, np.exp(logs)), strict=True)))

        def unlikely(logs: Array) -> float:
            if np.min(logs) < LOGS[0] or np.max(logs) > LOGS[1]:
                return 1e9
            tried = of(logs)
            return sum(tried.unlikely(one) for one in groups)

        found = [minimize(unlikely, start, method="Nelder-Mead", options={"maxiter": 350})
                 for start in STARTS]  # fmt: skip
        return of(min(found, key=lambda one: float(one.fun)).x)


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

    def rates(
        self, spreads: dict[int, Spreads], medians: Training
    ) -> Iterator[tuple[Limits, Array, Array]]:
        """Give the law's limits, rates and expected deviations, for each of ``ROWS``."""
        limits = self.model.limits(medians.cells)
        share = access_share(self.model, medians.cells, limits.service_mpps)
        yield limits, limits.service_mpps, np.ones(len(medians))
        effects = np.array([
            spreads[self.pair_of[group]].expected(self.groups[group], part, np.log2(size))
            if group in self.groups else (0.0, UNKNOWN)
            for group, part, size in zip(medians.group.tolist(), share, medians.cells.frame_bytes,
                                         strict=True)
        ])  # fmt: skip
        yield limits, limits.service_mpps * np.exp(effects[:, 0]), effects[:, 1]


def below(runs: Training, limits: Limits) -> Mask:
    """Whether runs tell of the servers, shape (n,)."""
    return np.asarray(runs.forwarded_mpps < BELOW * limits.ceiling_mpps)


def scores(law: Law, spreads: dict[int, Spreads], seen: Training) -> list[list[tuple[Held, Held]]]:
    """Score medians of each size by law and effects of the others, as they are and scaled."""
    parts: list[list[tuple[Held, Held]]] = [[] for _ in ROWS]
    for held in hold_out(np.unique(seen.cells.frame_bytes, return_inverse=True)[1]):
        others, medians = seen.take(~held), seen.take(held).medians()
        again = Law.of(law.model.refit(others), others).rates(spreads, medians)
        for row, (limits, mpps, deviation) in enumerate(again):
            score = np.log(medians.forwarded_mpps / mpps)
            kept = below(medians, limits)
            plain = replace(held_of(medians, limits), score=score).take(kept)
            scaled = replace(held_of(medians, limits), score=score / deviation).take(kept)
            parts[row].append((plain, scaled))
    return parts


def joined(parts: list[Held]) -> Held:
    """Put scores together."""
    return Held(**{name: np.concatenate([getattr(part, name) for part in parts])
                   for name in Held.__slots__})  # fmt: skip


def reach_of(held: Held, medians: Training, limits: Limits, seen: Training) -> Array:
    """Half-width of each median by scores of its path, shape (n,)."""
    reach = np.zeros(len(medians))
    for rows, bucket in parts_of(buckets_of(held, seen.cells.pairs), medians.cells, limits):
        reach[rows] = bucket.half_width()
    return reach


def held_size(runs: Training, size: float) -> Iterator[tuple[Array, Array, Array]]:
    """Answer one size by the others: errors, and log half-widths plain and scaled, a row each."""
    sizes = runs.cells.frame_bytes
    seen, medians = runs.take(sizes != size), runs.take(sizes == size).medians()
    law = Law.of(Capacity.fit(seen), seen)
    spreads = law.spreads()
    answers = law.rates(spreads, medians)
    for (limits, mpps, deviation), parts in zip(answers, scores(law, spreads, seen), strict=True):
        plain, scaled = (joined(list(column)) for column in zip(*parts, strict=True))
        error = np.minimum(mpps, limits.ceiling_mpps) / medians.forwarded_mpps - 1.0
        served = mpps < limits.ceiling_mpps
        reach = reach_of(plain, medians, limits, seen)
        wide = reach_of(scaled, medians, limits, seen) * deviation
        yield (error, np.where(served, np.maximum(reach, SURE), SURE),
               np.where(served, np.maximum(wide, SURE), SURE))  # fmt: skip


def main() -> None:
    """Print errors, coverage and half-width of medians of each row."""
    runs = training_of(read_runs(map(Path, sys.argv[1:])))
    parts: list[list[tuple[Array, Array, Array]]] = [[] for _ in ROWS]
    for size in np.unique(runs.cells.frame_bytes):
        for row, answer in enumerate(held_size(runs, float(size))):
            parts[row].append(answer)
        newest = [f"{name} {spread(part[-1][0])}" for name, part in zip(ROWS, parts, strict=True)]
        print(f"{size:g} B", *newest, flush=True)
    for name, part in zip(ROWS, parts, strict=True):
        error, plain, scaled = (np.concatenate(column) for column in zip(*part, strict=True))
        print(f"one size, {name}: {spread(error)} %", end="")
        for how, reach in (("plain", plain), ("scaled", scaled)):
            inside = np.abs(np.log1p(error)) <= reach
            print(f"; {how}: inside {inside.mean():.1%}, half-width "
                  f"{100.0 * np.sinh(reach).mean():.1f} %", end="")  # fmt: skip
        print(flush=True)


if __name__ == "__main__":
    main()
