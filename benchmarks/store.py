"""Seconds of listing a store and of reading one box: ``python benchmarks/store.py``.

A store of planted campaigns grows step by step; each is a draw from the reference campaign with
rates of its own. Asked are at most 1 s for the list and 3 s for one box of 10 000 campaigns.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from multiprocessing import Pool
from pathlib import Path

import numpy as np
import pandas as pd

import linerate as lr
from linerate.campaigns.manifest import Origin
from linerate.campaigns.marker import mark

RUNS, BOXES, ROUNDS = 1000, 10, 5
LIST_SECONDS_MAX, READ_SECONDS_MAX = 1.0, 3.0
COLUMNS = ("started_at", "verdict", "latency_p50_us")


@cache
def reference() -> pd.DataFrame:
    """Read once in each process."""
    return lr.read("data/reference-veth").table


def planted(campaign: int) -> pd.DataFrame:
    """Draw the runs of a campaign: rows of the reference, 2 % of noise on their rates."""
    rng = np.random.default_rng(campaign)
    rows = reference()
    rows = rows.iloc[rng.integers(len(rows), size=RUNS)].reset_index(drop=True)
    start = pd.Timestamp("2026-01-01", tz="UTC") + pd.Timedelta(hours=campaign)
    return rows.assign(
        campaign=f"nightly-{campaign:05}", box=f"box-{campaign % BOXES}",
        started_at=start.isoformat(), offered_mpps=np.inf, link_gbps=np.inf,
        forwarded_mpps=rows["forwarded_mpps"] * rng.lognormal(0.0, 0.02, size=RUNS),
    )  # fmt: skip


def plant(work: tuple[str, int, int]) -> None:
    """Add some campaigns, as linerate store add does."""
    folder, first, last = work
    store = lr.store(folder)
    for campaign in range(first, last):
        store.put(planted(campaign), Origin(kernel="6.18"))


def median_s(work: Callable[[], object]) -> str:
    """Time a few calls: median [smallest..largest]."""
    seconds = []
    for _ in range(ROUNDS):
        begun_s = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begun_s)
    return f"{statistics.median(seconds):.2f} [{min(seconds):.2f}..{max(seconds):.2f}]"


def main() -> int:
    """Print the curve; 1 where the last step is over what is asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, nargs="+", default=[100, 300, 1000, 3000, 10000])
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    slow = False
    print("campaigns | runs | MB | planted in (s) | list (s) | rows of one box, datapath, queues | "
          "read, 19 columns (s) | read, all columns (s) | SQL, mean of one box (s)")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        mark(lr.store(folder).place)
        there = 0
        for campaigns in asked.campaigns:
            begun_s = time.perf_counter()
            with Pool(asked.processes) as pool:
                cuts = np.linspace(there, campaigns, 8 * asked.processes + 1).astype(int)
                pool.map(plant, [(folder, int(a), int(b)) for a, b in pairwise(cuts)])
            planted_s, there = time.perf_counter() - begun_s, campaigns
            line, slow = measured(folder, campaigns, planted_s)
            print(line, flush=True)
    return int(slow)


def measured(folder: str, campaigns: int, planted_s: float) -> tuple[str, bool]:
    """Measure one size."""
    store = lr.store(folder)
    listed = median_s(store.listing)
    wanted = {"box": "box-3", "datapath": "xdp_native", "queues": 2}
    read = median_s(lambda: store.runs(columns=COLUMNS, **wanted))
    rows = len(store.runs(columns=COLUMNS, **wanted))
    whole = median_s(lambda: store.runs(**wanted))
    asked = median_s(lambda: store.query(
        "select count(*), avg(forwarded_mpps) from runs where box = 'box-3'"))  # fmt: skip
    size_mb = sum(each.stat().st_size for each in Path(folder).rglob("*") if each.is_file()) / 1e6
    line = " | ".join([f"{campaigns}", f"{campaigns * RUNS}", f"{size_mb:.0f}", f"{planted_s:.0f}",
                       listed, f"{rows}", read, whole, asked])  # fmt: skip
    slow = float(listed.split()[0]) > LIST_SECONDS_MAX or float(read.split()[0]) > READ_SECONDS_MAX
    return line, slow


if __name__ == "__main__":
    sys.exit(main())
