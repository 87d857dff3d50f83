"""How a working set's size shows: which share of the misses of the largest one it has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from linerate.models.operations.work import Work
from linerate.models.runs.cells import Array

Shape = tuple[tuple[int, float], ...]
"""Pairs (bytes, share), ascending, the largest with 1."""


def shapes_of(works: Sequence[Work], times_ns: Array) -> dict[str, Shape]:
    """Shape of each scope: what kinds agree on, for they share the machine's caches.

    The share of a size is the median over kinds of what a packet takes longer there than at the
    kind's smallest size, over the same at its largest.
    """
    by_kind: dict[tuple[str, object], dict[int, float]] = {}
    for work, time_ns in zip(works, times_ns, strict=True):
        if work.steps:
            key = (work.scope, (work.base, work.steps))
            by_kind.setdefault(key, {}).setdefault(work.set_bytes, float(time_ns))
    shares: dict[str, dict[int, list[float]]] = {}
    for (scope, _), times in by_kind.items():
        low, high = times[min(times)], times[max(times)]
        own = shares.setdefault(scope, {})
        for size, time_ns in times.items():
            if size:
                known = size in (min(times), max(times)) or high <= low
                own.setdefault(size, []).extend([] if known else [(time_ns - low) / (high - low)])
    return {scope: _shape(own) for scope, own in shares.items() if own}


def _shape(shares: Mapping[int, Sequence[float]]) -> Shape:
    """Medians where any kind shows it; other sizes are on lines between them, the largest 1."""
    largest = max(shares)
    medians = {
        size: float(np.clip(np.median(own), 0.0, 1.0)) for size, own in shares.items() if own
    }
    return tuple(sorted((medians | {largest: 1.0}).items()))


def sets_of(works: Iterable[Work]) -> dict[tuple[str, str], int]:
    """Largest working set of each kind, by scope and kind, bytes."""
    found: dict[tuple[str, str], int] = {}
    for work in works:
        for kind, _ in work.steps:
            found[work.scope, kind] = max(work.set_bytes, found.get((work.scope, kind), 0))
    return found


def missed_share(set_bytes: int, shape: Shape) -> float:
    """Share at a size, on straight lines over its logarithm; 0 where a cache holds it.

    >>> missed_share(4 << 20, ((1 << 20, 0.0), (16 << 20, 1.0)))
    0.5
    """
    if not set_bytes or not shape:
        return 0.0
    sizes, shares = zip(*shape, strict=True)
    return float(np.interp(np.log2(set_bytes), np.log2(sizes), shares))
