"""Seconds and memory of fit, validate and predict: ``python benchmarks/models.py RUNS``."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd

from linerate.models import MODELS, fit_predictor, training_of, validate_all
from linerate.runs import read_runs

CELLS = 1_000_000
T = TypeVar("T")


def timed(what: str, work: Callable[[], T]) -> T:
    """Run, and print seconds and the peak of memory so far."""
    start_s = time.perf_counter()
    answer = work()
    peak_gib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"{what:40} {time.perf_counter() - start_s:8.2f} s   peak {peak_gib:.2f} GiB")
    return answer


def main(path: Path) -> None:
    """Time what the command line does."""
    training = training_of(timed("read", lambda: read_runs([path])))
    predictor = timed("fit", lambda: fit_predictor(MODELS[0], training, np.random.default_rng(0)))
    timed("validate, all models", lambda: validate_all(MODELS, training))
    rng = np.random.default_rng(0)
    pair = rng.integers(len(predictor.pairs), size=CELLS)
    cells = pd.DataFrame({
        "datapath": pd.Series([p.datapath for p in predictor.pairs]).iloc[pair].to_numpy(),
        "program": pd.Series([p.program for p in predictor.pairs]).iloc[pair].to_numpy(),
        "memory_accesses": rng.integers(0, 12801, CELLS), "queues": rng.integers(1, 9, CELLS),
        "frame_bytes": rng.integers(64, 1501, CELLS), "link_gbps": 10.0,
    })  # fmt: skip
    timed(f"predict {CELLS} cells", lambda: predictor.predict(cells))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
