"""Columns of a run that collectors fill: sums over its trials, and what follows from them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence

from linerate.records import Trial

SIGNS = {
    "napi_batches": "polled_packets",
    "xdp_errors": "xdp_exceptions",
    "softirq": "softirq_ns",
    "perf": "instructions",
    "stalls": "stall_watched_ns",
    "sharing": "sharing_looks",
}
"""Kind of probe -> the count that every trial has on which it ran."""
PER_PACKET = {
    "cycles": "cycles_per_packet",
    "instructions": "instructions_per_packet",
    "branches": "branches_per_packet",
    "branch_misses": "branch_misses_per_packet",
    "l1_dcache_loads": "l1_loads_per_packet",
    "l1_dcache_load_misses": "l1_load_misses_per_packet",
    "llc_load_misses": "llc_load_misses_per_packet",
}
"""Hardware event -> its column."""
_POLLS = "polls_of_"
STALLS = ("stall_watched_ns", "stall_beside_ns", "stall_gaps", "stall_gap_ns")
_LONGEST, _GAPS = "stall_longest_ns", "stall_gaps_of_"


def probe_columns(trials: Sequence[Trial]) -> dict[str, object]:
    """Sum what was counted around some trials; columns of what was not counted are left out.

    >>> trial = Trial(duration_s=1.0, intended_packets=8, sent_packets=8, forwarded_packets=8,
    ...               probes={"probed_packets": 9, "polled_packets": 9, "polls_of_3": 3})
    >>> columns = probe_columns([trial])
    >>> columns["probes"], columns["probed_packets"], columns["batch_packets_mean"]
    ('napi_batches', 9, 3.0)
    """
    counts: dict[str, float] = defaultdict(float)
    for trial in trials:
        for name, count in trial.probes.items():
            counts[name] += count
    if not counts:
        return {}
    columns: dict[str, object] = {
        "probes": "+".join(kind for kind, sign in SIGNS.items() if sign in counts),
    }
    columns |= {
        name: round(counts[name])
        for name in ("probed_packets", "xdp_exceptions", "xdp_redirect_errors")
        if name in counts
    }
    return columns | _batches(counts) | _ratios(counts) | _stalls(counts, trials)


def _stalls(counts: Mapping[str, float], trials: Sequence[Trial]) -> dict[str, object]:
    if SIGNS["stalls"] not in counts:
        return {}
    gaps = {int(name.removeprefix(_GAPS)): round(count)
            for name, count in counts.items() if name.startswith(_GAPS)}  # fmt: skip
    return {
        **{name: round(counts.get(name, 0)) for name in STALLS},
        _LONGEST: round(max(trial.probes.get(_LONGEST, 0) for trial in trials)),
        "stall_gaps_by_us": json.dumps(dict(sorted(gaps.items()))),
    }  # fmt: skip


def _batches(counts: Mapping[str, float]) -> dict[str, object]:
    polls = {
        int(name.removeprefix(_POLLS)): round(count)
        for name, count in counts.items()
        if name.startswith(_POLLS)
    }
    if not polls:
        return {}
    columns: dict[str, object] = {"polls_by_packets": json.dumps(dict(sorted(polls.items())))}
    if busy_polls := sum(count for packets, count in polls.items() if packets):
        columns["batch_packets_mean"] = counts["polled_packets"] / busy_polls
    return columns


def _ratios(counts: Mapping[str, float]) -> dict[str, float]:
    columns = {}
    if "softirq_ns" in counts:
        columns["softirq_ratio"] = counts["softirq_ns"] / counts["probed_core_ns"]
    if looks := counts.get("sharing_looks"):
        columns["shared_core_ratio"] = counts["sharing_shared_looks"] / looks
    if packets := counts.get("probed_packets"):
        columns |= {
            column: counts[event] / packets
            for event, column in PER_PACKET.items()
            if event in counts
        }
    return columns
