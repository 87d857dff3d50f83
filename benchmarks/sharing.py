"""What others on the device's core do to a rate: ``sudo python -m benchmarks.sharing``.

Floods of 64-byte frames that are dropped, serial mode, a program load each, the datapaths in turn.
Of each load the first trial is taken as it was counted, and of the first trial of which others left
a tenth alone the time of a packet in its undisturbed stretches (`linerate.stretches`).
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
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from numpy.typing import NDArray

from linerate.cells import Cell, Load
from linerate.measure.campaign.campaign import RETRIES_MAX
from linerate.measure.collectors.probed import probed
from linerate.measure.collectors.sharing import open_sharing_watch
from linerate.measure.datapaths.benches import open_bench
from linerate.measure.trials.bench import Timing
from linerate.records import Trial
from linerate.reports.drawing.style import styled
from linerate.stretches import unshared_mpps

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
WIDTH, HEIGHT = 5.6, 4.2
"""Of the figure, inches."""
MIDDLES = 100.0 * (np.arange(40) + 0.5) / 40
"""Of what each quantile is, %."""
HIGHEST = 2.0
"""Of the figure, times the undisturbed time."""


@dataclass(frozen=True, slots=True)
class Looked:
    """One trial."""

    packet_ns: float
    shared_ratio: float
    """Of its looks, those at a shared core."""
    alone_ns: float
    """Of a packet in undisturbed stretches; nan where these are not known."""
    quantiles_ns: tuple[float, ...]
    """Of a packet over stretches."""


def looked(trial: Trial) -> Looked:
    """Take a trial's times of a packet and what its looks saw."""
    looks, shared = (trial.probes[name] for name in ("sharing_looks", "sharing_shared_looks"))
    return Looked(
        packet_ns=1e9 * trial.duration_s / trial.forwarded_packets,
        shared_ratio=shared / max(looks, 1), alone_ns=1e3 / unshared_mpps(trial, math.inf),
        quantiles_ns=trial.stretches_ns[0],
    )  # fmt: skip


def trials_of_load(cell: Cell, timing: Timing, retries: int) -> list[Looked]:
    """Load the program, and run trials until one tells its rate alone, or retries are used up."""
    found: list[Looked] = []
    with open_bench(cell) as bench, probed(bench, ["sharing"]) as looked_at:
        while not found or (math.isnan(found[-1].alone_ns) and len(found) <= retries):
            found.append(looked(looked_at.run_trial(FLOOD, timing)))
    return found


def spread_percent(times_ns: NDArray[np.float64]) -> float:
    """Deviation of loads from their median, root of the mean square, %."""
    return 100.0 * float(np.sqrt(np.mean(np.log(times_ns / np.median(times_ns)) ** 2)))


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
    parser.add_argument("--figure", type=Path, help="PNG or PDF of first trials")
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
    first = np.array([load[0].packet_ns for load in loads])
    last = np.array([load[-1].alone_ns for load in loads])
    alone = last[np.isfinite(last)]
    print(
        f"{datapath}: others at {np.mean([one.shared_ratio for one in every]):.0%} of looks; first "
        f"trials {np.median(first):.0f} ns, spread {spread_percent(first):.1f} %; undisturbed "
        f"{np.median(alone):.0f} ns, spread {spread_percent(alone):.1f} %, of {len(alone)} of "
        f"{len(loads)} loads, by {len(every)} trials"
    )


@styled()
def draw(found: Mapping[str, Sequence[Sequence[Looked]]], path: Path) -> None:
    """Draw what a packet took over the stretches of each first trial, over that undisturbed."""
    figure, axes = plt.subplots(2, 2, figsize=(WIDTH, HEIGHT), sharex=True, sharey=True,
                                layout="constrained")  # fmt: skip
    percents, shades = Normalize(0.0, 100.0), plt.get_cmap("viridis_r")
    for (datapath, loads), own in zip(found.items(), axes.flat, strict=True):
        alone_ns = np.nanmedian([one.alone_ns for load in loads for one in load])
        for load in loads:
            shade = shades(percents(100.0 * load[0].shared_ratio))
            own.plot(MIDDLES, np.array(load[0].quantiles_ns) / alone_ns, color=shade, linewidth=1.1)
        own.set(ylim=(0.9, HIGHEST))
        own.set_title(datapath, loc="left", fontsize="medium")
    figure.supxlabel("Stretches of a trial, the quickest first (%)", fontsize="medium")
    figure.supylabel("Time of a packet over that undisturbed", fontsize="medium")
    figure.colorbar(
        ScalarMappable(percents, shades), ax=axes, label="looks that saw others (%)", aspect=30
    )
    figure.savefig(path, dpi=180, metadata={"Software": None})
    plt.close(figure)


if __name__ == "__main__":
    main()
