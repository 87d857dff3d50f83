"""What others on the device's core do to a rate: ``sudo python -m benchmarks.sharing``.

Floods of 64-byte frames that are dropped, serial mode, a program load each, the datapaths in turn.
Of each load the first trial is taken, whatever its looks were, as it is and as it is led back to
the cores alone by the slope of all trials (`linerate.tables.shared_cores`); and the first trial of
whose looks at most a tenth were at a shared core, as a campaign with ``retries`` looks for one.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import os
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from numpy.typing import NDArray

from linerate.cells import Cell, Load
from linerate.measure.campaign.campaign import RETRIES_MAX
from linerate.measure.collectors.probed import probed
from linerate.measure.collectors.sharing import open_sharing_watch
from linerate.measure.datapaths.benches import open_bench
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.validity import SHARED_RATIO_MAX
from linerate.records import Trial
from linerate.reports.drawing.style import styled
from linerate.tables.shared_cores import Slope, slope_of

FLOOD = Load(frame_mix=((1, 64),), arrivals="flood", offered_mpps=math.inf)
CELLS = tuple(
    Cell(lab="veth", mode="serial", datapath=datapath, program="drop_all", memory_accesses=0,
         queues=1, link_gbps=math.inf, load=FLOOD, settings=settings)
    for datapath, settings in (
        ("xdp_native", ()), ("xdp_generic", ()), ("tc", ()),
        ("netfilter", (("filter_hook", "prerouting"),)),
    )
)  # fmt: skip
HASHED_BYTES = 400_000
WIDTH, HEIGHT = 5.0, 3.4
"""Of the figure, inches."""
SHARES = np.linspace(0.0, 1.0, 50)
ALONE, SHARED = 0.1, 0.9
"""Shares of looks up to which, and from which on, a trial is of one state."""


@dataclass(frozen=True, slots=True)
class Looked:
    """One trial."""

    packet_ns: float
    shared_ratio: float
    """Of its looks, those at a shared core."""


def looked(trial: Trial) -> Looked:
    """Take a trial's time of a packet and what its looks saw."""
    looks, shared = (trial.probes[name] for name in ("sharing_looks", "sharing_shared_looks"))
    return Looked(1e9 * trial.duration_s / trial.forwarded_packets, shared / max(looks, 1))


def trials_of_load(cell: Cell, timing: Timing, retries: int) -> list[Looked]:
    """Load the program, and run trials until one has the core to itself, or retries are used up."""
    found: list[Looked] = []
    with open_bench(cell) as bench, probed(bench, ["sharing"]) as looked_at:
        while not found or (found[-1].shared_ratio > SHARED_RATIO_MAX and len(found) <= retries):
            found.append(looked(looked_at.run_trial(FLOOD, timing)))
    return found


def spread_percent(times_ns: NDArray[np.float64]) -> float:
    """Deviation of loads from their median, root of the mean square, %."""
    return 100.0 * float(np.sqrt(np.mean(np.log(times_ns / np.median(times_ns)) ** 2)))


def slope_among(loads: Sequence[Sequence[Looked]]) -> Slope:
    """Take how the rate falls with the share of looks, of all trials in their order."""
    every = [one for load in loads for one in load]
    shared = np.diff([one.shared_ratio for one in every])
    slope = slope_of(shared, -np.diff(np.log([one.packet_ns for one in every])))
    return slope or Slope(value=0.0, error=math.nan, pairs=len(shared))


def hashed(seconds: float) -> int:
    """Count how often a block is hashed: a chain, to which others on the core hardly matter."""
    ended, count, block = time.monotonic() + seconds, 0, bytes(HASHED_BYTES)
    while time.monotonic() < ended:
        hashlib.sha256(block).digest()
        count += 1
    return count


def print_cost(rounds: int, seconds: float = 0.3) -> None:
    """Print what looking takes of a core: hashes with and without it, in turn."""
    core = min(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    ratios = []
    with open_sharing_watch([core]) as watch:
        for _ in range(rounds):
            without = hashed(seconds)
            with watch.watching():
                ratios.append(hashed(seconds) / without)
    low, middle, high = np.quantile(ratios, (0.05, 0.5, 0.95))
    print(f"looking leaves {middle:.4f} ({low:.4f} to {high:.4f}, 5 to 95 % of {rounds} rounds) "
          "of a core to a chain")  # fmt: skip


def main() -> None:
    """Print times and spreads of each datapath."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--loads", type=int, default=25, help="of each datapath")
    parser.add_argument("--seconds", type=float, default=0.2, help="of one trial")
    parser.add_argument("--retries", type=int, default=RETRIES_MAX)
    parser.add_argument("--cost", type=int, metavar="ROUNDS",
                        help="measure what looking takes of a core, and nothing else")  # fmt: skip
    parser.add_argument("--figure", type=Path, help="PNG or PDF of all trials")
    asked = parser.parse_args()
    if asked.cost:
        print_cost(asked.cost)
        return
    timing = Timing(warm_up_seconds=0.05, seconds=asked.seconds)
    found: dict[str, list[list[Looked]]] = defaultdict(list)
    for _ in range(asked.loads):
        for cell in CELLS:
            found[cell.datapath].append(trials_of_load(cell, timing, asked.retries))
    for datapath, loads in found.items():
        print_datapath(datapath, loads)
    if asked.figure:
        draw(found, asked.figure)


def print_datapath(datapath: str, loads: list[list[Looked]]) -> None:
    """Print a datapath's lines."""
    every = [one for load in loads for one in load]
    alone = [one.packet_ns for one in every if one.shared_ratio <= ALONE]
    shared = [one.packet_ns for one in every if one.shared_ratio >= SHARED]
    states = [np.median(times or [math.nan]) for times in (alone, shared)]
    first, last = (np.array([load[at].packet_ns for load in loads]) for at in (0, -1))
    left = sum(load[-1].shared_ratio > SHARED_RATIO_MAX for load in loads)
    slope = slope_among(loads)
    led_back = first * np.exp([-slope.value * load[0].shared_ratio for load in loads])
    print(
        f"{datapath}: others at {np.mean([one.shared_ratio for one in every]):.0%} of looks, slope "
        f"{slope.value:.3f} (error {slope.error:.3f}); alone {states[0]:.0f} ns, shared "
        f"{states[1]:.0f} ns, first trials led back {np.median(led_back):.0f} ns\n"
        f"  {len(loads)} loads: spread of first trials {spread_percent(first):.1f} %, led back "
        f"{spread_percent(led_back):.1f} %; of the last trials {spread_percent(last):.1f} %, "
        f"by {len(every)} trials; {left} loads never alone"
    )


@styled()
def draw(found: Mapping[str, Sequence[Sequence[Looked]]], path: Path) -> None:
    """Draw each trial's time by its share of looks, over that of its datapath led back to none."""
    figure, axes = plt.subplots(figsize=(WIDTH, HEIGHT), layout="constrained")
    for (datapath, loads), marker in zip(found.items(), "osD^", strict=False):
        every = [one for load in loads for one in load]
        slope = slope_among(loads).value
        alone_ns = np.median([one.packet_ns / math.exp(slope * one.shared_ratio) for one in every])
        (points,) = axes.plot(
            [100.0 * one.shared_ratio for one in every],
            [one.packet_ns / alone_ns for one in every],
            marker, label=f"{datapath}: x{math.exp(slope):.2f}", alpha=0.6, markersize=3.5,
        )  # fmt: skip
        axes.plot(100.0 * SHARES, np.exp(slope * SHARES), color=points.get_color(), linewidth=1.2)
    axes.axvline(100.0 * SHARED_RATIO_MAX, color="0.5", linestyle=":", linewidth=1.0)
    axes.annotate("repeated from here on", (100.0 * SHARED_RATIO_MAX, 0.02), xytext=(4, 0),
                  xycoords=("data", "axes fraction"), textcoords="offset points",
                  color="0.4", size="small")  # fmt: skip
    axes.set(xlabel="Looks at which others used the core (%)",
             ylabel="Time of a packet over that alone")  # fmt: skip
    axes.legend(title="at all looks")
    figure.savefig(path, dpi=180, metadata={"Software": None})
    plt.close(figure)


if __name__ == "__main__":
    main()
