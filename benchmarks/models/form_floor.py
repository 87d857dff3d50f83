"""What a right form would score: ``python -m benchmarks.models.form_floor TABLE...``.

A noise floor is the error of a model that knows all constants. A form that is right has to learn
them from as few loads as there are. So runs are drawn from the fit of a table itself, with the
noise of its loads, and each work is held out as ``validate`` holds it out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from linerate.models.operations import Mixes, mix_runs
from linerate.models.operations.held_out import HeldOut, held_out
from linerate.models.operations.runs import MixRuns
from linerate.models.runs.cells import Array
from linerate.models.validation.floor import log_deviations
from linerate.models.validation.spread import Spread, spread
from linerate.tables.runs import read_runs

DRAWS = 8


def main() -> None:
    """Print the error of each sort of what is held out, and that of the right form."""
    for folder in map(Path, sys.argv[1:]):
        runs = mix_runs(read_runs([folder]))
        works, times_ns = runs.medians()
        found = errors(list(held_out(works, times_ns)))
        right = errors([one for drawn_ns in drawn(runs) for one in held_out(works, drawn_ns)])
        for sort, error in found.items():
            print(f"{folder.name}, {sort}: {error} %, the right form {right[sort]} %", flush=True)


def drawn(runs: MixRuns) -> list[Array]:
    """Draw medians of works, as if the fit were the truth and loads deviated as they do."""
    rng = np.random.default_rng(0)
    works, times_ns = runs.medians()
    model = Mixes.fit(works, times_ns)
    truth_ns = np.array([model.time_ns(work)[0] for work in works])
    loads = np.bincount(runs.work)
    # Of a load from the median of the others, about two: the noise of both is in it.
    apart = log_deviations(runs.packet_ns, runs.work) / np.sqrt(1.5)
    return [
        truth_ns * np.exp([np.median(rng.choice(apart, size)) for size in loads])
        for _ in range(DRAWS)
    ]


def errors(asked: list[HeldOut]) -> dict[str, Spread]:
    """Take the errors of what was answered within the measured range, by sort."""
    by_sort: dict[str, list[float]] = {}
    for one in asked:
        if not one.unknown and not one.outside:
            by_sort.setdefault(one.sort, []).append(float(np.expm1(-one.score)))
    return {sort: spread(np.array(own)) for sort, own in by_sort.items()}


if __name__ == "__main__":
    main()
