"""What the veth lab reaches on this machine: ``sudo .venv/bin/python benchmarks/lab.py``.

Absolute rates are the machine's; loss and ratios are the lab's.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from linerate.cells import Cell, Load, Mode
from linerate.files.store import Provenance, Store
from linerate.measure.campaign.campaign import Campaign, campaign_from
from linerate.measure.campaign.run import measure_campaign
from linerate.measure.datapaths.benches import open_bench
from linerate.measure.system.describe import this_box
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.validity import judge
from linerate.records import Trial

RUNS = 5
FLOOD = Load(frame_mix=((1, 64),), arrivals="flood", offered_mpps=math.inf)


def baseline(mode: Mode, queues: int) -> Cell:
    """Native XDP_TX of 64-byte frames in a flood, no link limit."""
    return Cell(
        lab="veth", mode=mode, datapath="xdp_native", program="xdp_tx", memory_accesses=0,
        queues=queues, link_gbps=math.inf, load=FLOOD,
    )  # fmt: skip


def trial_of(cell: Cell, timing: Timing) -> Trial:
    """Measure a cell once, with a lab and a program load of its own."""
    with open_bench(cell) as bench:
        return bench.run_trial(cell.load, timing)


def show(name: str, trials: list[Trial], cell: Cell) -> None:
    """Print rates and losses of some trials, and why they may be doubted."""
    rates = np.array([trial.forwarded_mpps for trial in trials])
    median_mpps = float(np.median(rates))
    spread_percent = 100.0 * (rates.max() - rates.min()) / median_mpps
    way_back = sum(t.dropped["dut_tx"] + t.dropped["sink_ring"] for t in trials)
    lost = sum(t.sent_packets - t.forwarded_packets for t in trials)
    doubts = {reason for t in trials for reason in judge(cell, t).reasons}
    print(
        f"{name}: {median_mpps:.2f} Mpps (median of {len(trials)}; {rates.min():.2f}.."
        f"{rates.max():.2f}, {spread_percent:.1f} %), lost {lost} of "
        f"{sum(t.sent_packets for t in trials)} sent, {way_back} of them on the way back"
    )
    for reason in sorted(doubts):
        print(f"  suspect: {reason}")


def small_campaign() -> Campaign:
    """Twelve short runs."""
    fields = {
        "name": "small", "lab": "veth", "repetitions": 3, "trial_seconds": 0.2,
        "warm_up_seconds": 0.1,
        "cells": [
            {
                "mode": "serial", "datapath": ["xdp_native", "xdp_generic"],
                "program": ["map_lookup"], "memory_accesses": [0, 100], "queues": [1],
                "frame_bytes": [64], "link_gbps": 10.0, "offered_mpps": ["line"],
            }
        ],
    }  # fmt: skip
    return campaign_from(fields, "small")


def time_outside_trials() -> tuple[int, float, float]:
    """Trials of a small campaign, time they took and time spent around them, s."""
    campaign = small_campaign()
    with TemporaryDirectory() as folder:
        started_s = time.perf_counter()
        provenance = Provenance(campaign="small", git_revision="", argv=tuple(sys.argv))
        store = Store.create(Path(folder) / "out", "", this_box(nic="veth"), provenance)
        measure_campaign(campaign, store, lambda progress: None)
        took_s = time.perf_counter() - started_s
        trials = len(list(store.entries()))
    within_s = trials * (campaign.trial_seconds + campaign.warm_up_seconds)
    return trials, within_s, took_s - within_s


def main() -> None:
    """Print each figure as it is taken."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=1.0, help="of one trial")
    timing = Timing(warm_up_seconds=0.2, seconds=options.parse_args().seconds)
    counts = (1, 2) if (os.cpu_count() or 1) > 1 else (1,)
    cells = {queues: baseline("serial", queues) for queues in counts}
    # In turn, so that a busy machine slows both and leaves their ratio alone.
    rounds = [{q: trial_of(cell, timing) for q, cell in cells.items()} for _ in range(RUNS)]
    for queues, cell in cells.items():
        show(f"serial, native, 64 B, {queues} core(s)", [turn[queues] for turn in rounds], cell)
    if len(counts) > 1:
        ratios = [turn[2].forwarded_mpps / turn[1].forwarded_mpps for turn in rounds]
        print(f"two cores over one: {np.median(ratios):.2f} [{min(ratios):.2f}..{max(ratios):.2f}]")
        cell = baseline("split", 1)
        show("split, native, 64 B", [trial_of(cell, timing) for _ in range(RUNS)], cell)
    trials, within_s, outside_s = time_outside_trials()
    print(
        f"small campaign: {trials} trials of {within_s / trials:.1f} s, {outside_s:.1f} s outside "
        f"them ({outside_s / trials:.2f} s for each)"
    )


if __name__ == "__main__":
    main()
