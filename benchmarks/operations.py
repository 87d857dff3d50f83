"""What an operation costs here, by kind and working set: CSV on stdout.

``sudo .venv/bin/python benchmarks/operations.py > operations.csv``. A figure is the time of a
packet with so many operations less that of one with none, over their number, by throughput in
serial mode on native XDP. Each round loads the program anew for every line, and for the reference
before it, so that what slows the machine slows both. The figure of a lookup has the drawing of
its key in it, at most what ``key_only`` shows; and lookups of one packet may overlap, since none
needs what another finds.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys

import numpy as np

from linerate.cells import Cell, Load
from linerate.errors import LinerateError
from linerate.measure.datapaths.benches import open_bench
from linerate.measure.datapaths.catalogue import OPERATIONS_MAX
from linerate.measure.trials.bench import Timing

KIB, MIB = 1024, 1024 * 1024
WORKING_SETS_BYTES = (4 * KIB, 64 * KIB, MIB, 16 * MIB, 64 * MIB, 256 * MIB)
TIMES = 256
"""Operations a packet, less where a kind's own limit is lower: whole strides, and a cost that is
large against the rest of the packet's way."""
TRIES = 5
"""Trials until one in which a busy machine let the generator send."""
FLOOD = Load(frame_mix=((1, 64),), arrivals="flood", offered_mpps=math.inf)
Line = tuple[str, int]
"""Kind and working set of one line of the table."""


def packet_ns(
    operations: tuple[tuple[str, int], ...], working_set_bytes: int, seconds: float
) -> float:
    """Time of a packet over generator, device and sink, by a program load of its own."""
    cell = Cell(
        lab="veth", mode="serial", datapath="xdp_native", program="operations", memory_accesses=0,
        queues=1, link_gbps=math.inf, load=FLOOD, operations=operations,
        working_set_bytes=working_set_bytes,
    )  # fmt: skip
    timing = Timing(warm_up_seconds=0.1, seconds=seconds)
    with open_bench(cell) as bench:
        for _ in range(TRIES):
            trial = bench.run_trial(FLOOD, timing)
            if trial.forwarded_packets:
                return 1e3 / trial.forwarded_mpps
    raise LinerateError(f"{operations}: nothing came back in {TRIES} trials; is the machine busy?")


def lines() -> list[Line]:
    """Every working set for kinds that look a table up, none for the others."""
    return [
        (kind, working_set_bytes)
        for kind in OPERATIONS_MAX
        for working_set_bytes in (WORKING_SETS_BYTES if kind.endswith("_lookup") else (0,))
    ]


def measure_round(order: list[Line], seconds: float) -> dict[Line, float]:
    """Time of one operation of each line, ns, the reference taken anew before each."""
    taken = {}
    for kind, working_set_bytes in order:
        times = min(TIMES, OPERATIONS_MAX[kind])
        reference_ns = packet_ns((), 0, seconds)
        busy_ns = packet_ns(((kind, times),), working_set_bytes, seconds)
        taken[kind, working_set_bytes] = (busy_ns - reference_ns) / times
    return taken


def main() -> None:
    """Measure in rounds of random order, then print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--seconds", type=float, default=0.2, help="of one trial")
    options.add_argument("--seed", type=int, default=1, help="of the order within a round")
    chosen = options.parse_args()
    random = np.random.default_rng(chosen.seed)
    rounds = []
    for number in range(1, chosen.rounds + 1):
        order = [lines()[place] for place in random.permutation(len(lines()))]
        rounds.append(measure_round(order, chosen.seconds))
        print(f"round {number} of {chosen.rounds}", file=sys.stderr)
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(
        ["operation", "working_set_bytes", "times", "median_ns", "smallest_ns", "largest_ns", "n"]
    )
    for line in lines():
        seen_ns = [taken[line] for taken in rounds]
        figures_ns = (np.median(seen_ns), min(seen_ns), max(seen_ns))
        table.writerow(
            [
                *line,
                min(TIMES, OPERATIONS_MAX[line[0]]),
                *(f"{ns:.2f}" for ns in figures_ns),
                len(rounds),
            ]
        )


if __name__ == "__main__":
    main()
