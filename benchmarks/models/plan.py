"""Seconds and memory of choosing among many cells.

    .venv/bin/python -m benchmarks.models.plan [--cells 20000] [--jobs 1]

The exit code is 1 where it takes more than is claimed.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time

import numpy as np
from joblib import parallel_config

from linerate.models.design import choose_cells, guessed_path
from linerate.models.runs.cells import Cells, Pair

CPU_S_MAX, PEAK_GIB_MAX = 10.0, 1.0
PAIRS = tuple(Pair(name, "map_lookup") for name in ("xdp_native", "xdp_generic", "tc", "swx"))
FRAME_BYTES = (64, 128, 256, 512, 1024, 1500)
BUDGET = 48
MEASURED = 5
"""One in so many cells was measured before."""


def drawn(count: int) -> Cells:
    """Draw cells of four programs: sixty access counts, 1 to 16 queues, six frame sizes."""
    rng = np.random.default_rng(1)
    accesses = np.unique(np.geomspace(1, 12800, 60).astype(int))
    return Cells(
        pairs=PAIRS, pair=rng.integers(len(PAIRS), size=count),
        memory_accesses=rng.choice(accesses, count).astype(np.float64),
        queues=rng.integers(1, 17, count).astype(np.float64),
        frame_bytes=rng.choice(FRAME_BYTES, count).astype(np.float64),
        link_gbps=np.full(count, 10.0), offered_mpps=np.full(count, np.inf),
    )  # fmt: skip


def main() -> int:
    """Choose once, and print what it took."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cells", type=int, default=20_000)
    options.add_argument("--jobs", type=int, default=1, help="processes")
    asked = options.parse_args()
    cells = drawn(asked.cells)
    measured = cells.take(np.arange(0, len(cells), MEASURED))
    start_s, start_cpu_s = time.perf_counter(), time.process_time()
    with parallel_config(n_jobs=asked.jobs):
        choose_cells([guessed_path(pair) for pair in PAIRS], cells, BUDGET, measured=measured)
    wall_s, cpu_s = time.perf_counter() - start_s, time.process_time() - start_cpu_s
    peak_gib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"{BUDGET} runs chosen of {len(cells)} cells beside {len(measured)} runs: "
          f"{wall_s:.1f} s, {cpu_s:.1f} s of CPU, peak {peak_gib:.2f} GiB")  # fmt: skip
    return 0 if cpu_s <= CPU_S_MAX and peak_gib <= PEAK_GIB_MAX else 1


if __name__ == "__main__":
    sys.exit(main())
