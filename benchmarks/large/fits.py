"""Seconds of a fit and a validation of the physical model on many runs, by how many cells they are.

    .venv/bin/python -m benchmarks.large.fits [--fit-runs 100000] [--validate-runs 30000]

Runs are drawn by the formula of ``planted``, each of a program load of its own: once of the cells
of its plan, once each of a cell of its own. Joblib and linear algebra have one process and thread.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from benchmarks.large.planted import (
    ACCESS_NS,
    ACCESSES,
    BASE_NS,
    FRAME_BYTES,
    LINK_GBPS,
    LOAD_RATIO,
    QUEUES,
)

from linerate.models import Capacity, fit_predictor, training_of, validate
from linerate.units import line_rate_mpps

REPEATS = 3


def drawn(count: int, rng: np.random.Generator, *, alike: bool) -> pd.DataFrame:
    """Draw flooded runs; ``alike`` of the cells of the plan, else of any accesses and size."""
    if alike:
        accesses = rng.choice(ACCESSES, count)
        frame_bytes = rng.choice(FRAME_BYTES, count)
    else:
        accesses = rng.integers(0, ACCESSES[-1] + 1, count)
        frame_bytes = rng.integers(FRAME_BYTES[0], FRAME_BYTES[-1] + 1, count)
    datapath, queues = rng.choice(list(BASE_NS), count), rng.choice(QUEUES, count)
    base_ns = pd.Series(datapath).map(BASE_NS).to_numpy()
    service_mpps = 1e3 * queues / (base_ns + ACCESS_NS * accesses)
    line_mpps = np.asarray(line_rate_mpps(LINK_GBPS, frame_bytes))
    effect = np.exp(LOAD_RATIO * rng.standard_normal(count))
    return pd.DataFrame({
        "campaign": "planted", "source": "", "box": "planted", "datapath": datapath,
        "program": "map_lookup", "memory_accesses": accesses, "queues": queues,
        "frame_bytes": frame_bytes, "link_gbps": LINK_GBPS, "offered_mpps": line_mpps,
        "repetition": np.arange(1, count + 1), "forwarded_from": "sink",
        "forwarded_mpps": np.minimum(effect * service_mpps, line_mpps), "cpu_busy_ratio": 1.0,
        "latency_mean_us": np.nan, "unstable": False, "mode": "serial", "verdict": "valid",
    })  # fmt: skip


def timed(action: Callable[[int], object]) -> str:
    """Median and ends of the seconds that an action takes, which is given its number."""
    took_s = []
    for number in range(REPEATS):
        start_s = time.perf_counter()
        action(number)
        took_s.append(time.perf_counter() - start_s)
    return f"{np.median(took_s):.1f} s [{min(took_s):.1f}..{max(took_s):.1f}]"


def main() -> None:
    """Print a line for each number of cells."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--fit-runs", type=int, default=100_000)
    options.add_argument("--validate-runs", type=int, default=30_000)
    asked = options.parse_args()
    for alike in (True, False):
        # Anew each time: fits of runs that are known already are not made again.
        of_fit, of_validation = (
            [training_of(drawn(count, np.random.default_rng(seed), alike=alike))
             for seed in range(REPEATS)]
            for count in (asked.fit_runs, asked.validate_runs)
        )  # fmt: skip
        fits = timed(lambda number, trainings=of_fit: fit_predictor(
            Capacity, trainings[number], np.random.default_rng(0)))  # fmt: skip
        validations = timed(lambda number, trainings=of_validation: validate(
            Capacity, trainings[number], rng=np.random.default_rng(0)))  # fmt: skip
        cells = [np.unique(one[0].cell).size for one in (of_fit, of_validation)]
        print(f"fit with intervals of {asked.fit_runs} runs of {cells[0]} cells: {fits}; "
              f"validate by groups {asked.validate_runs} runs of {cells[1]} cells: {validations}",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
