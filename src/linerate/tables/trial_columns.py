"""The columns of a run that its trials decide: counts, rates, latencies, verdict."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Sequence
from functools import reduce
from operator import add

import numpy as np

from linerate.records import JournalEntry, Latency, Ping, Trial
from linerate.stretches import unshared_mpps
from linerate.tables.columns import KNOWN
from linerate.tables.probe_columns import probe_columns

UNSTABLE_SPREAD_RATIO = 0.10
"""Trials of one load that differ by more (largest to smallest, of the median) are marked."""
BEST_FIRST = ("valid", "suspect", "invalid")


def trial_columns(entries: Sequence[JournalEntry]) -> dict[str, object]:
    """Sum the trials of one run; columns that none of them has are left out."""
    first = entries[0]
    best = believed(entries)
    state = best[0].verdict.state
    trials = [entry.trial for entry in best]
    reasons = sorted({reason for entry in best for reason in entry.verdict.reasons})
    rates_mpps = [trial.forwarded_mpps for trial in trials]
    return (
        _counts(trials)
        | _latencies([trial.latency for trial in trials if trial.latency], "latency")
        | _sampled_rates(trials)
        | _pings([trial.ping for trial in trials if trial.ping])
        | probe_columns(trials)
        | _unshared(trials, first.cell.load.offered_mpps)
        | {
            "run_id": first.run_id,
            "source": _source(first),
            "repetition": first.repetition,
            "trials": len(trials),
            "unstable": state != "valid" or _spread_ratio(rates_mpps) > UNSTABLE_SPREAD_RATIO,
            "verdict": state,
            "verdict_reason": "; ".join(reasons),
            "cost": first.cost or None,
            "program_hash": first.program_hash,
            "started_at": trials[0].started_at,
            "schema_version": first.schema_version,
        }
    )


def believed(entries: Sequence[JournalEntry]) -> list[JournalEntry]:
    """Keep the trials that a run's row is made of: the best, or those that ended with the device.

    A program load that failed once is not one to believe.
    """
    if failed := [entry for entry in entries if entry.trial.failure]:
        return failed
    state = min((entry.verdict.state for entry in entries), key=BEST_FIRST.index)
    return [entry for entry in entries if entry.verdict.state == state]


def _source(entry: JournalEntry) -> str:
    if entry.canary:
        return "canary"
    return "curve" if entry.purpose == "curve" else entry.cell.mode


def _counts(trials: Sequence[Trial]) -> dict[str, object]:
    # From Python 3.12 on sum() rounds otherwise, and a table is to be the same to the last bit.
    duration_s = reduce(add, (trial.duration_s for trial in trials), 0.0)
    forwarded = sum(trial.forwarded_packets for trial in trials)
    busy = _busy(trials)
    program_ns = [trial.program_ns for trial in trials if trial.program_ns is not None]
    memory_bytes = [trial.memory_bytes for trial in trials if trial.memory_bytes is not None]
    counts: dict[str, object] = {
        "duration_s": duration_s,
        "intended_packets": sum(trial.intended_packets for trial in trials),
        "sent_packets": sum(trial.sent_packets for trial in trials),
        "forwarded_packets": forwarded,
        "forwarded_mpps": forwarded / duration_s / 1e6,
        "forwarded_from": trials[0].forwarded_from,
        "cpu_busy_ratio": _mean(busy) if busy else math.nan,
        "cpu_per_core": json.dumps([round(share, 4) for share in busy]),
        "program_ns": float(np.median(program_ns)) if program_ns else math.nan,
        "contended_ratio": max(trial.contended_ratio for trial in trials),
        "steal_ratio": max(trial.steal_ratio for trial in trials),
        "memory_bytes": max(memory_bytes) if memory_bytes else None,
        **_places(trials),
    }
    return counts | _drops(trials) | _ends(trials)


def _unshared(trials: Sequence[Trial], offered_mpps: float) -> dict[str, float]:
    """Rate with the device's cores to itself: the median of the trials that tell it."""
    known = [mpps for trial in trials if math.isfinite(mpps := unshared_mpps(trial, offered_mpps))]
    return {"unshared_mpps": float(np.median(known))} if known else {}


def _places(trials: Sequence[Trial]) -> dict[str, str]:
    """Where user threads ran, of the last trial: they are pinned for a whole run."""
    places = trials[-1].user_threads
    if not places:
        return {}
    return {"user_cpus": json.dumps([place.cpu for place in places]),
            "user_siblings": json.dumps([list(place.siblings) for place in places])}  # fmt: skip


def _busy(trials: Sequence[Trial]) -> Sequence[float]:
    """Mean busy share of each core over trials."""
    if len(trials) == 1:
        return trials[0].cpu_busy_ratios
    means = np.array([trial.cpu_busy_ratios for trial in trials]).mean(axis=0)
    return [float(share) for share in np.atleast_1d(means)]


def _mean(values: Sequence[float]) -> float:
    return values[0] if len(values) == 1 else float(np.mean(values))


def _drops(trials: Sequence[Trial]) -> dict[str, int]:
    drops: dict[str, int] = defaultdict(int)
    for trial in trials:
        for place, packets in trial.dropped.items():
            column = f"dropped_{place}"
            drops[column if column in KNOWN else "dropped_elsewhere"] += packets
    return drops


def _ends(trials: Sequence[Trial]) -> dict[str, int]:
    ends: dict[str, int] = defaultdict(int)
    for trial in trials:
        for verdict, packets in trial.ends.items():
            ends[f"ended_{verdict}"] += packets
    return ends


def _sampled_rates(trials: Sequence[Trial]) -> dict[str, float]:
    rates_mpps = [
        packets / trial.rate_interval_s / 1e6 for trial in trials for packets in trial.rates
    ]
    if not rates_mpps:
        return {}
    return {"peak_mpps": max(rates_mpps), "steady_mpps": float(np.median(rates_mpps))}


def _pings(pings: Sequence[Ping]) -> dict[str, float]:
    if not pings:
        return {}
    return {
        "ping_sent": sum(ping.sent for ping in pings),
        "ping_received": sum(ping.received for ping in pings),
    } | _latencies([ping.rtt for ping in pings], "rtt")


def _latencies(histograms: Sequence[Latency], name: str) -> dict[str, float]:
    if not histograms:
        return {}
    counts: dict[int, int] = defaultdict(int)
    for histogram in histograms:
        for lower_ns, count in zip(histogram.lower_ns, histogram.counts, strict=True):
            counts[lower_ns] += count
    pooled = Latency(
        lower_ns=tuple(sorted(counts)),
        counts=tuple(counts[lower_ns] for lower_ns in sorted(counts)),
        sum_ns=sum(histogram.sum_ns for histogram in histograms),
        max_ns=max(histogram.max_ns for histogram in histograms),
    )
    shares = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999}
    return (
        {f"{name}_mean_us": pooled.mean_us}
        | {f"{name}_{label}_us": pooled.quantile_us(share) for label, share in shares.items()}
        | {f"{name}_max_us": pooled.max_ns / 1e3}
    )


def _spread_ratio(rates_mpps: Sequence[float]) -> float:
    if len(rates_mpps) == 1:
        return 0.0
    median_mpps = float(np.median(rates_mpps))
    return (max(rates_mpps) - min(rates_mpps)) / median_mpps if median_mpps else 0.0
