"""What learners learn from: medians of cells, in the numbers that physics is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linerate.line_rate import sustains
from linerate.models.runs.cells import Array, Cells, Mask, Pair
from linerate.models.runs.limits import SERVICE, Limits, ceilings
from linerate.models.runs.training import Training

FEATURES = ("log(accesses + 1)", "log(queues)", "log(frame_bytes)", "log(line rate)")
"""What each cell is described by; accesses stand first, and more of them never help."""
SEED = 0
"""The same runs teach the same."""
EXAMPLES_MAX = 1000
"""Cells of one pair that are learned from; of more, these are drawn evenly."""
LINE_MPPS_MAX = 1e4
"""Line rate of a link without end, as a feature."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examples:
    """Cells of one pair and what was seen of each; every tuple has the same length.

    A learner keeps them, and learns again when it is read from a file: with the same seed, the
    same.
    """

    pair: Pair
    memory_accesses: tuple[float, ...]
    queues: tuple[float, ...]
    frame_bytes: tuple[float, ...]
    line_mpps: tuple[float, ...]
    log_seen: tuple[float, ...]
    """What is learned: the log of a rate in Mpps, or of a ratio of two."""

    def __len__(self) -> int:
        return len(self.log_seen)

    @property
    def features(self) -> Array:
        """Shape (n, 4), columns of ``FEATURES``."""
        return _features(
            np.asarray(self.memory_accesses), np.asarray(self.queues),
            np.asarray(self.frame_bytes), np.asarray(self.line_mpps),
        )  # fmt: skip

    @property
    def seen(self) -> Array:
        """What is learned, shape (n,)."""
        return np.asarray(self.log_seen, dtype=np.float64)


def features_of(cells: Cells) -> Array:
    """Describe n cells by what physics is made of, shape (n, 4)."""
    return _features(cells.memory_accesses, cells.queues, cells.frame_bytes, cells.line_mpps)


def _features(accesses: Array, queues: Array, frame_bytes: Array, line_mpps: Array) -> Array:
    return np.column_stack([
        np.log1p(accesses), np.log(queues), np.log(frame_bytes),
        np.log(np.minimum(line_mpps, LINE_MPPS_MAX)),
    ])  # fmt: skip


def rate_examples(training: Training, rng: np.random.Generator) -> tuple[Examples, ...]:
    """Log rate of each cell, pair by pair.

    Cells that forward what they are offered tell nothing where that is less than line rate, and
    are left out; those at line rate stay, since a learner knows no law that would cut it there.
    """
    medians = training.medians()
    kept = ~_held_back_by_offer(medians)
    medians = medians.take(kept) if kept.any() else medians
    return examples_of(medians, np.log(medians.forwarded_mpps), rng)


def examples_of(
    medians: Training, log_seen: Array, rng: np.random.Generator
) -> tuple[Examples, ...]:
    """Put cells and what was seen of each together, pair by pair.

    Parameters
    ----------
    medians
        One row per cell.
    log_seen
        What is learned of each, shape (n,).
    rng
        Draws ``EXAMPLES_MAX`` of a pair that has more.
    """
    found = []
    for pair in medians.pairs_seen:
        rows = np.flatnonzero(medians.cells.pair == medians.cells.pairs.index(pair))
        if rows.size > EXAMPLES_MAX:
            rows = np.sort(rng.choice(rows, EXAMPLES_MAX, replace=False))
        cells = medians.cells.take(rows)
        found.append(Examples(
            pair=pair, memory_accesses=_plain(cells.memory_accesses), queues=_plain(cells.queues),
            frame_bytes=_plain(cells.frame_bytes),
            line_mpps=_plain(np.minimum(cells.line_mpps, LINE_MPPS_MAX)),
            log_seen=_plain(log_seen[rows]),
        ))  # fmt: skip
    return tuple(found)


def learned_limits(cells: Cells, log_mpps: Array) -> Limits:
    """Cut what was learned at line rate and at what is offered."""
    ceiling_mpps, ceiling = ceilings(cells)
    return Limits(
        service_mpps=np.exp(np.clip(log_mpps, -50.0, 50.0)), ceiling_mpps=ceiling_mpps,
        service=np.full(len(cells), SERVICE, dtype=np.int8), ceiling=ceiling,
    )  # fmt: skip


def _held_back_by_offer(medians: Training) -> Mask:
    offered = ~sustains(medians.cells.offered_mpps, medians.cells.line_mpps)
    return np.asarray(offered & sustains(medians.forwarded_mpps, medians.ceiling_mpps))


def _plain(values: Array) -> tuple[float, ...]:
    return tuple(map(float, values))
