"""Seconds, memory and held-out errors of every model: ``python -m benchmarks.models.errors RUNS``.

With ``--extrap PYTHON``, an interpreter that has Extra-P, that stands in the same table
(``extrap_models.py`` says how to get one). The exit code is 1 where the default model is not ahead
of the comparators.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd
from benchmarks.models.extrap_comparator import ExtraP

from linerate.errors import BadInputError
from linerate.models import (
    MODELS,
    CapacityModel,
    Predictor,
    Training,
    fit_predictor,
    noise_floor,
    training_of,
    validate_all,
)
from linerate.models.validation.folds import SPLITS, Split
from linerate.models.validation.held_out import held_out_error
from linerate.models.validation.spread import Spread
from linerate.tables.runs import read_runs

CELLS = 1_000_000
OURS = ("capacity", "hybrid")
"""Models of physics; all others are comparators."""
BEHIND_MAX_PERCENT = 1.0
"""How far a model may be behind where single cells are held out: the random effect of their groups
leaks."""
T = TypeVar("T")
Errors = dict[str, dict[Split, Spread | None]]
"""Of each model by its name, on each split."""


def timed(what: str, work: Callable[[], T]) -> T:
    """Run, and print seconds and the peak of memory so far."""
    start_s = time.perf_counter()
    answer = work()
    peak_gib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"{what:40} {time.perf_counter() - start_s:8.2f} s   peak {peak_gib:.2f} GiB", flush=True)
    return answer


def many_cells(predictor: Predictor) -> pd.DataFrame:
    """Draw a million cells of the pairs that a model knows."""
    rng = np.random.default_rng(0)
    pair = rng.integers(len(predictor.pairs), size=CELLS)
    return pd.DataFrame({
        "datapath": pd.Series([p.datapath for p in predictor.pairs]).iloc[pair].to_numpy(),
        "program": pd.Series([p.program for p in predictor.pairs]).iloc[pair].to_numpy(),
        "memory_accesses": rng.integers(0, 12801, CELLS), "queues": rng.integers(1, 9, CELLS),
        "frame_bytes": rng.integers(64, 1501, CELLS), "link_gbps": 10.0,
    })  # fmt: skip


def times(training: Training) -> None:
    """Time what the command line does."""
    fitted = {
        model.name: timed(f"fit {model.name}, intervals too",
                          lambda m=model: fit_predictor(m, training, np.random.default_rng(0)))
        for model in MODELS
    }  # fmt: skip
    timed("validate, all models", lambda: validate_all(MODELS, training))
    first = fitted[MODELS[0].name]
    cells = many_cells(first)
    timed(f"predict {CELLS} cells", lambda: first.predict(cells))


def errors(models: Sequence[type[CapacityModel]], training: Training) -> Errors:
    """Print the error of each model on each split, beside the noise floor."""
    print(f"\nmedian / mean / P90 error, %, {np.unique(training.cell).size} cells")
    print(f"{'':14}" + "".join(f"{by:>20}" for by in SPLITS))
    print(f"{'noise floor':14}" + len(SPLITS) * f"{text(noise_floor(training)):>20}")
    found: Errors = {}
    for model in models:
        found[model.name] = {by: error_of(model, training, by) for by in SPLITS}
        row = (f"{text(error):>20}" for error in found[model.name].values())
        print(f"{model.name:14}" + "".join(row), flush=True)
    return found


def error_of(model: type[CapacityModel], training: Training, by: Split) -> Spread | None:
    """Take one error; None where a fold leaves too little to fit."""
    try:
        return held_out_error(model, training, by=by)
    except BadInputError:
        return None


def verdict(found: Errors) -> bool:
    """Say how far the default model is ahead of the best comparator, split by split."""
    print(f"\n{MODELS[0].name} over the best comparator of each column, points of median and mean")
    ahead = True
    for by in SPLITS:
        own = found[MODELS[0].name][by]
        others = {name: errors[by] for name, errors in found.items() if name not in OURS}
        rivals = {name: error for name, error in others.items() if error is not None}
        if own is None or not rivals:
            continue
        allowed = BEHIND_MAX_PERCENT if by == "random" else 0.0
        points = {}
        for part in ("median_percent", "mean_percent"):
            best = min(rivals, key=lambda name, part=part: getattr(rivals[name], part))
            points[best, part] = getattr(rivals[best], part) - getattr(own, part)
        good = min(points.values()) >= -allowed
        ahead &= good
        text = ", ".join(f"{value:+.1f} over {name}" for (name, _), value in points.items())
        print(f"{by:18}{text:46}{'ahead' if min(points.values()) > 0 else 'behind'}, "
              f"{'as' if good else 'NOT as'} claimed")  # fmt: skip
    return ahead


def text(error: Spread | None) -> str:
    """Print median / mean / P90."""
    if error is None:
        return "-"
    return f"{error.median_percent:.1f} / {error.mean_percent:.1f} / {error.p90_percent:.1f}"


def main() -> int:
    """Read the table, print times, then errors; 1 if the default model is not ahead."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("runs", type=Path, nargs="+")
    options.add_argument("--extrap", metavar="PYTHON", help="interpreter that has Extra-P")
    asked = options.parse_args()
    training = training_of(timed("read", lambda: read_runs(asked.runs)))
    times(training)
    ExtraP.python = asked.extrap or ""
    found = errors([*MODELS, *([ExtraP] if asked.extrap else [])], training)
    return 0 if verdict(found) else 1


if __name__ == "__main__":
    sys.exit(main())
