"""Seconds of listing a store and of reading one box: ``python benchmarks/store.py``.

A store of planted campaigns grows step by step; each is a draw from the reference campaign with
rates of its own. Asked are at most 1 s for the list and 3 s for one box of 10 000 campaigns.
``--store FOLDER`` keeps what is planted, and begins with what is there. ``--fit`` fits a model to
the runs of one box of the last step in a process of its own: asked are 60 s and 4 GiB for 1e6 runs.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from multiprocessing import Pool, get_context
from pathlib import Path

import numpy as np
import pandas as pd

import linerate as lr
from linerate.campaigns.manifest import Origin
from linerate.campaigns.marker import mark

RUNS, BOXES, ROUNDS = 1000, 10, 5
LIST_SECONDS_MAX, READ_SECONDS_MAX = 1.0, 3.0
FIT_SECONDS_MAX, FIT_GIB_MAX = 60.0, 4.0
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
        run_id=[f"c{row:04}-r1" for row in range(RUNS)],  # a program load each
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
    parser.add_argument("--store", help="folder to keep the store in; it may be there already")
    parser.add_argument("--fit", action="store_true", help="fit to one box in the end")
    asked = parser.parse_args()
    slow = False
    print("campaigns | runs | MB | planted in (s) | list (s) | rows of one box, datapath, queues | "
          "read, 19 columns (s) | read, all columns (s) | SQL, mean of one box (s)")  # fmt: skip
    with tempfile.TemporaryDirectory() as aside:
        folder = asked.store or aside
        mark(lr.store(folder).place)
        there = len(lr.store(folder).listing().manifests)
        for campaigns in asked.campaigns:
            if campaigns < there:
                continue
            begun_s = time.perf_counter()
            with Pool(asked.processes) as pool:
                cuts = np.linspace(there, campaigns, 8 * asked.processes + 1).astype(int)
                pool.map(plant, [(folder, int(a), int(b)) for a, b in pairwise(cuts)])
            planted_s, there = time.perf_counter() - begun_s, campaigns
            line, slow = measured(folder, campaigns, planted_s)
            print(line, flush=True)
        if asked.fit:
            with get_context("spawn").Pool(1) as pool:
                slow |= pool.apply(fitted, (folder,))
    return int(slow)


def fitted(folder: str) -> bool:
    """Fit to the runs of one box, and print what it took; whether that is over what is asked."""
    begun_s, cpu_s = time.perf_counter(), time.process_time()
    runs = lr.store(folder).runs(box="box-3")
    read_s = time.perf_counter() - begun_s
    lr.fit(runs)
    took_s, cpu_s = time.perf_counter() - begun_s, time.process_time() - cpu_s
    most_gib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"fit of {len(runs)} runs: read {read_s:.0f} s, with the fit {took_s:.0f} s, "
          f"{cpu_s:.0f} s of CPU, {most_gib:.1f} GiB, load {os.getloadavg()[0]:.0f}")  # fmt: skip
    return took_s > FIT_SECONDS_MAX or most_gib > FIT_GIB_MAX


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
