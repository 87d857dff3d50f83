"""From finished trials to the tidy table: one row for each program load and cell.

The canary's runs are no rows of the plan: they only tell how fast the machine was around the
time of each other run (``drift_ratio``).
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from itertools import islice
from operator import add

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from linerate.box import Box
from linerate.errors import bad_input
from linerate.records import JournalEntry, Latency, Ping, Trial
from linerate.tables.cell_columns import cell_columns
from linerate.tables.columns import COLUMNS, KNOWN
from linerate.tables.probe_columns import probe_columns
from linerate.tables.settings_columns import with_settings, written

UNSTABLE_SPREAD_RATIO = 0.10
"""Trials of one load that differ by more (largest to smallest, of the median) are marked."""
CHUNK_RUNS = 4096
"""Runs whose rows are Python objects at a time."""
BEST_FIRST = ("valid", "suspect", "invalid")


def runs_from(
    entries: Sequence[JournalEntry], box: Box, campaign: str, git_revision: str
) -> pd.DataFrame:
    """Sum the trials of each run into one row; the canary's become ``drift_ratio``.

    Steps of a search are left out: what a search says is in a table of its own.
    Counts are summed over the valid trials of a run; where none is valid over the suspect ones,
    and over impossible ones only where there is nothing else, or where the device failed in one
    of them. Rates are derived from the sums.
    """
    grouped: dict[str, list[JournalEntry]] = defaultdict(list)
    for entry in entries:
        grouped[entry.run_id].append(entry)
    return table_of(grouped.values(), {"": box}, campaign, git_revision)


def table_of(
    runs: Iterable[Sequence[JournalEntry]], boxes: Mapping[str, Box], campaign: str,
    git_revision: str,
) -> pd.DataFrame:  # fmt: skip
    """Do as ``runs_from`` with trials that come run by run, a chunk of them in memory at a time.

    ``boxes`` are by the name that their trials carry: none where a campaign has one box.
    """
    fixed = {"campaign": campaign, "git_revision": git_revision}
    of_box = columns_of(boxes)
    parts, settings, measured = [], dict[str, None](), filter(None, map(_measured, runs))
    while chunk := list(islice(measured, CHUNK_RUNS)):
        settings |= {name: None for of_run in chunk for name, _ in of_run[0].cell.settings}
        parts.append(pd.DataFrame([fixed | of_box(each[0].box) | _row(each) for each in chunk]))
    names = with_settings([column.name for column in COLUMNS], settings)
    rows = (pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()).reindex(columns=names)
    is_canary = rows["source"] == "canary"
    tells = is_canary & (rows["verdict"] != "invalid")
    rows["drift_ratio"] = 1.0
    for _, own in rows.groupby("box"):
        rows.loc[own.index, "drift_ratio"] = _drift_ratios(own, tells[own.index].to_numpy())
    return written(rows[~is_canary].reset_index(drop=True), KNOWN)


def columns_of(boxes: Mapping[str, Box]) -> Callable[[str], dict[str, str]]:
    """Give the columns that name the box of a row, by the name that its trials carry."""
    columns = {name: {"box": box.name, "box_hash": box.checked_hash} for name, box in boxes.items()}

    def of_box(name: str) -> dict[str, str]:
        if name not in columns:
            raise bad_input(
                "box", name, why="the campaign's folder does not know it",
                allowed=", ".join(filter(None, columns)) or "none", do="restore its boxes.json",
            )  # fmt: skip
        return columns[name]

    return of_box


def _measured(of_run: Sequence[JournalEntry]) -> list[JournalEntry]:
    return [entry for entry in of_run if entry.purpose != "search"]


def _drift_ratios(own: pd.DataFrame, tells: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Canary's rate over its median, interpolated to each start; shape (n,), 1 without canaries.

    ``own`` are runs and canaries of one box, ``tells`` which of them are believed canaries.
    """
    if not tells.any():
        return np.ones(len(own))
    seconds = _onwards(_seconds(own["started_at"]))
    ratios = own["forwarded_mpps"].to_numpy(np.float64)[tells]
    return np.asarray(np.interp(seconds, seconds[tells], ratios / np.median(ratios)))


def _seconds(started_at: pd.Series) -> NDArray[np.float64]:
    stamps = pd.to_datetime(started_at, format="ISO8601", utc=True)
    since_epoch = stamps - pd.Timestamp(0, tz="UTC")
    return np.asarray(since_epoch.dt.total_seconds(), dtype=np.float64)


def _onwards(seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Let starts go on in the order of the journal, where the clock was set back meanwhile.

    >>> _onwards(np.array([10.0, 20.0, 5.0, 15.0]))
    array([10., 20., 20., 30.])
    """
    known = ~np.isnan(seconds)
    steps = np.diff(seconds[known], prepend=0.0)
    if (steps >= 0.0).all():
        return seconds
    going = np.full(len(seconds), np.nan)
    going[known] = np.cumsum(np.maximum(steps, 0.0))
    return going


def _row(entries: Sequence[JournalEntry]) -> dict[str, object]:
    first = entries[0]
    best = believed(entries)
    state = best[0].verdict.state
    trials = [entry.trial for entry in best]
    reasons = sorted({reason for entry in best for reason in entry.verdict.reasons})
    rates_mpps = [trial.forwarded_mpps for trial in trials]
    return (
        cell_columns(first.cell)
        | _counts(trials)
        | _latencies([trial.latency for trial in trials if trial.latency], "latency")
        | _sampled_rates(trials)
        | _pings([trial.ping for trial in trials if trial.ping])
        | probe_columns(trials)
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
