"""Packets a second of the simulator, and of Ciw beside it: ``python benchmarks/simulation.py``."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import ciw
import numpy as np
from ciw.dists import Exponential

from linerate.models.queueing.simulation import (
    Core,
    Station,
    Traffic,
    simulate_core,
    simulate_station,
)

PACKETS, CIW_PACKETS, ROUNDS = 2_000_000, 20_000, 5
CLAIM_MPPS, CLAIM_TIMES = 2.0, 20.0
"""Packets per microsecond of CPU time with bursts and a finite ring, and times as fast as Ciw."""
RINGED = Core(service_times_ns=(100.0,), bursts=(32,), places=256, visit_ns=200.0, empty_ns=50.0)
FINITE = Station(service_time_ns=100.0, places=16)


def mpps(packets: int, run: Callable[[], object]) -> float:
    """Packets per microsecond of this process's CPU time, so that neighbours count little."""
    start_s = time.process_time()
    run()
    return packets / (time.process_time() - start_s) * 1e-6


def run_ciw() -> None:
    """M/M/1/16, the queue that both know."""
    network = ciw.create_network(
        arrival_distributions=[Exponential(9e-3)],
        service_distributions=[Exponential(1e-2)],
        number_of_servers=[1], queue_capacities=[15],
    )  # fmt: skip
    ciw.Simulation(network).simulate_until_max_customers(CIW_PACKETS)


def main() -> int:
    """Print medians of interleaved rounds; 1 if one is below the claim."""
    rng, traffic = np.random.default_rng(0), Traffic(load_mpps=9.0, packets=PACKETS)
    simulate_core(RINGED, traffic, rng)  # compiles
    simulate_station(FINITE, traffic, rng)
    rounds = [
        (
            mpps(PACKETS, lambda: simulate_core(RINGED, traffic, rng)),
            mpps(PACKETS, lambda: simulate_station(FINITE, traffic, rng)),
            mpps(CIW_PACKETS, run_ciw),
        )
        for _ in range(ROUNDS)
    ]
    ringed, finite, theirs = np.median(rounds, axis=0)
    times = float(np.median([ours / other for _, ours, other in rounds]))
    print(f"bursts from a finite ring {ringed:8.3f} Mpps")
    print(f"M/M/1/16                  {finite:8.3f} Mpps")
    print(f"M/M/1/16 by Ciw           {theirs:8.4f} Mpps: {times:.0f} times slower")
    return int(ringed < CLAIM_MPPS or times < CLAIM_TIMES)


if __name__ == "__main__":
    sys.exit(main())
