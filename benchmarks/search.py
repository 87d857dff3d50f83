"""How well a PDR repeats in split mode: ``sudo .venv/bin/python benchmarks/search.py``.

Each repetition has a lab and a program load of its own, so the spread holds both the search's and
the load's. The exit code is 1 where the machine was quiet and the spread is above the claim.
"""

from __future__ import annotations

import argparse
import math
import sys
import time

import numpy as np

from linerate.cells import Cell, Load
from linerate.measure.datapaths.benches import open_bench
from linerate.measure.search.goals import PDR, scaled
from linerate.measure.search.run import Subject, run_search
from linerate.measure.search.spec import SearchSpec
from linerate.searches import SearchEntry

REPETITIONS = 5
CV_PERCENT_MAX = 5.0
"""Claim: coefficient of variation of the lower bound."""
STEAL_RATIO_MAX = 0.01
"""Above it the hypervisor was measured too, and the claim is not judged."""
MIN_MPPS = 0.01

CELL = Cell(
    lab="veth", mode="split", datapath="xdp_native", program="map_lookup", memory_accesses=100,
    queues=1, link_gbps=10.0,
    load=Load(frame_mix=((1, 64),), arrivals="constant", offered_mpps=MIN_MPPS),
)  # fmt: skip


def search_once(repetition: int, trial_seconds: float) -> SearchEntry:
    """Search the PDR of a program load of its own."""
    spec = SearchSpec(
        preset="mlrsearch", tests=("pdr",), goals=(scaled(PDR, trial_seconds),),
        min_mpps=MIN_MPPS, max_mpps=None, trial_seconds=trial_seconds, warm_up_seconds=0.05,
        retries=10, point_retries=2, seconds_max=600.0, mrr_trials=0, latency_trials=0, curve=None,
    )  # fmt: skip
    with open_bench(CELL) as bench:
        subject = Subject(
            search_id=f"s-r{repetition}", repetition=repetition, cell=CELL,
            program_hash=bench.program_hash, run_trial=bench.run_trial, run_point=bench.run_trial,
        )  # fmt: skip
        return run_search(subject, spec)


def show(entry: SearchEntry, took_s: float) -> float:
    """Print a search; return its lower bound, nan where it has none."""
    (result,) = entry.results
    bound = result.bound
    print(
        f"PDR {bound.lower_mpps or math.nan:.4f}..{bound.upper_mpps or math.nan:.4f} Mpps, limited "
        f"by {result.limited_by}; {entry.trials} trials, {entry.disturbed_trials} repeated, "
        f"{took_s:.0f} s, steal {entry.steal_ratio:.1%}, {entry.verdict.state}",
        flush=True,
    )
    for reason in (*entry.verdict.reasons, *filter(None, [result.reason])):
        print(f"  {reason}")
    return bound.lower_mpps or math.nan


def main() -> int:
    """Print each search as it ends, then their spread."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=0.1, help="of one trial")
    seconds = options.parse_args().seconds
    entries, lower_mpps = [], []
    for repetition in range(1, REPETITIONS + 1):
        started_s = time.perf_counter()
        entries.append(search_once(repetition, seconds))
        lower_mpps.append(show(entries[-1], time.perf_counter() - started_s))
    mean_mpps = float(np.mean(lower_mpps))
    cv_percent = 100.0 * float(np.std(lower_mpps, ddof=1)) / mean_mpps
    steal_ratio = max(entry.steal_ratio for entry in entries)
    quiet = steal_ratio < STEAL_RATIO_MAX and all(e.verdict.state == "valid" for e in entries)
    print(
        f"PDR, split, native, 100 lookups, 64 B: {mean_mpps:.3f} Mpps (mean of {REPETITIONS}), CV "
        f"{cv_percent:.1f} % (claim: at most {CV_PERCENT_MAX:.0f} %), steal {steal_ratio:.1%}"
    )
    if not quiet:
        print("  not judged: the machine was disturbed; repeat it when it is idle")
        return 0
    return int(not cv_percent <= CV_PERCENT_MAX)


if __name__ == "__main__":
    sys.exit(main())
