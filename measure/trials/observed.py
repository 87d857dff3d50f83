"""What a table says of each run that the rules of physics ask for, read column by column."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from linerate.measure.trials.physics import NAN, Observed
from linerate.units import line_rate_mpps, wire_time_ns

LATENCIES = ("latency_p50_us", "latency_p90_us", "latency_p99_us", "latency_p999_us",
             "latency_max_us")  # fmt: skip
MEASURED = (
    "forwarded_mpps", "offered_mpps", "latency_mean_us", "duration_s", "intended_packets",
    "sent_packets", "forwarded_packets", "cycles_per_packet", "instructions_per_packet",
)  # fmt: skip


def observed_runs(runs: pd.DataFrame) -> Iterator[Observed]:
    """Give each row of a checked table in its order; nan for what it does not have."""
    link_gbps, frame_bytes = numbers(runs, "link_gbps"), numbers(runs, "frame_bytes")
    columns = [numbers(runs, name) for name in ("queues", *MEASURED)]
    columns += [line_rate_mpps(link_gbps, frame_bytes), wire_time_ns(link_gbps, frame_bytes) / 1e3]
    latencies = zip(*(numbers(runs, name).tolist() for name in LATENCIES), strict=True)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for (queues, *measured, line_mpps, wire_us), quantiles, busy in zip(
        rows, latencies, _busy(runs), strict=True
    ):
        yield Observed(
            queues=int(queues), line_mpps=line_mpps, wire_us=wire_us, latencies_us=quantiles,
            cpu_busy_ratios=busy, **dict(zip(MEASURED, measured, strict=True)),
        )  # fmt: skip


def numbers(runs: pd.DataFrame, name: str) -> NDArray[np.float64]:
    """Numbers of a column, shape (n,); nan where there is none, and without the column."""
    if name not in runs.columns:
        return np.full(len(runs), NAN)
    return runs[name].to_numpy(dtype=np.float64, na_value=NAN)


def _busy(runs: pd.DataFrame) -> Iterator[tuple[float, ...]]:
    cores: Sequence[object] = [None] * len(runs)
    if "cpu_per_core" in runs.columns:
        cores = runs["cpu_per_core"].tolist()
    for mean, listed in zip(numbers(runs, "cpu_busy_ratio").tolist(), cores, strict=True):
        own = () if mean != mean else (mean,)
        yield own + _shares(listed) if isinstance(listed, str) and listed else own


def _shares(listed: str) -> tuple[float, ...]:
    try:
        return tuple(float(share) for share in json.loads(listed))
    except (ValueError, TypeError):
        return (NAN,)  # no list of shares; the rule names it
