"""Packets a second of the simulator, and Ciw beside: ``python -m benchmarks.models.simulation``."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import ciw
import numpy as np
from ciw.dists import Exponential

from linerate.models.queueing.simulation import (
    Core,
    Route,
    Station,
    Traffic,
    simulate_core,
    simulate_route,
    simulate_station,
)

PACKETS, CIW_PACKETS, ROUNDS = 2_000_000, 20_000, 5
CLAIM_MPPS, CLAIM_TIMES = 2.0, 20.0
"""Packets per microsecond of CPU time of each of ours, and times as fast as Ciw."""
RINGED = Core(service_times_ns=(100.0,), bursts=(32,), places=256, visit_ns=200.0, empty_ns=50.0)
CHAINED = Core(service_times_ns=(50.0,) * 4, bursts=(32,) * 4, places=256, visit_ns=100.0,
               empty_ns=50.0, chained=True)  # fmt: skip
ROUTED = Route(hops=(0, 1, 0, 2, 0), service_times_ns=(40.0, 100.0, 100.0), places=256)
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


def runs(rng: np.random.Generator) -> dict[str, tuple[int, Callable[[], object]]]:
    """Name, packets and run of each; all but the last are ours, the last two the same queue."""
    heavy, light, middle = (Traffic(load_mpps=mpps, packets=PACKETS) for mpps in (9.0, 4.0, 5.0))
    return {
        "bursts from a finite ring": (PACKETS, lambda: simulate_core(RINGED, heavy, rng)),
        "chain of 4 on one core": (PACKETS, lambda: simulate_core(CHAINED, light, rng)),
        "route of 5 hops": (PACKETS, lambda: simulate_route(ROUTED, middle, rng)),
        "M/M/1/16": (PACKETS, lambda: simulate_station(FINITE, heavy, rng)),
        "M/M/1/16 by Ciw": (CIW_PACKETS, run_ciw),
    }


def main() -> int:
    """Print medians of interleaved rounds; 1 if one is below the claim."""
    listed = runs(np.random.default_rng(0))
    for _, run in listed.values():
        run()  # compiles
    rounds = np.asarray([[mpps(*each) for each in listed.values()] for _ in range(ROUNDS)])
    medians, times = np.median(rounds, axis=0), float(np.median(rounds[:, -2] / rounds[:, -1]))
    for name, median in zip(listed, medians, strict=True):
        print(f"{name:26s}{median:9.4g} Mpps")
    print(f"{times:.0f} times as fast as Ciw")
    return int(medians[:-1].min() < CLAIM_MPPS or times < CLAIM_TIMES)


if __name__ == "__main__":
    sys.exit(main())
