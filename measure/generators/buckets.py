"""Latencies taken one by one, in the log-linear buckets of the generator's sink."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from linerate.records import Latency

SUB_BITS = 5
"""32 buckets to an octave, as in ``bpf/traffic.h``."""


def bucket_lower_ns(latency_ns: int) -> int:
    """Round down to the lower bound of the bucket that holds a latency.

    >>> [bucket_lower_ns(ns) for ns in (63, 64, 65, 1000, 1_000_000)]
    [63, 64, 64, 992, 999424]
    """
    shift = max(0, latency_ns.bit_length() - SUB_BITS - 1)
    return latency_ns >> shift << shift


def latency_of(latencies_ns: Iterable[int]) -> Latency:
    """Count latencies by bucket.

    >>> latency_of([1000, 64, 1001])
    Latency(lower_ns=(64, 992), counts=(1, 2), sum_ns=2065, max_ns=1001, taken='software')
    """
    seen = tuple(latencies_ns)
    counted = sorted(Counter(map(bucket_lower_ns, seen)).items())
    return Latency(
        lower_ns=tuple(lower_ns for lower_ns, _ in counted),
        counts=tuple(count for _, count in counted),
        sum_ns=sum(seen),
        max_ns=max(seen, default=0),
    )
