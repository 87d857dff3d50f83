"""How soon ``linerate trend`` finds a step of 3 %, and how often it finds one where there is none.

``python -m benchmarks.models.trend``: series of campaigns with normal noise, and with that of
program loads of the reference campaigns, of which a campaign takes the median. A step counts as
found where a level starts at most two campaigns from it; an alarm is any step in a series of 100
campaigns without one, looked at after each campaign from the tenth on.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import linerate as lr
from linerate.models.runs.selection import believable
from linerate.models.trends.changes import SAMPLES_MIN
from linerate.models.trends.groups import group
from linerate.tables.cell_columns import cell_codes

STEP, BEFORE, AFTER, LENGTH, NEAR = math.log(0.97), 30, 8, 100, 2
LOADS = 3
NORMAL_PERCENT = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)
REFERENCES = ("veth-split", "capeletti", "veth")
SEED = 20261123
Draw = Callable[[int], NDArray[np.float64]]


def normal(percent: float, rng: np.random.Generator) -> Draw:
    """Draw samples of normal noise."""
    return lambda count: rng.normal(0.0, percent / 100.0, count)


def of_loads(name: str, loads: int, rng: np.random.Generator) -> tuple[float, Draw]:
    """Draw medians of program loads of one cell of a reference campaign, another cell each series.

    Returns
    -------
    Noise of a sample in the median cell, %, and what draws.
    """
    runs, _ = believable(lr.read(f"data/reference-{name}").table)
    runs = runs[runs["forwarded_mpps"] > 0.0]
    logs = runs.assign(log=np.log(runs["forwarded_mpps"])).groupby(cell_codes(runs))["log"]
    kept = [own.to_numpy(np.float64) for _, own in logs if len(own) >= LOADS and own.std() > 1e-6]
    spreads = np.array([own.std(ddof=1) for own in kept])
    # Cells have few loads: the form of the noise is pooled, its size is each cell's own.
    form = np.concatenate([(own - own.mean()) / own.std(ddof=0) for own in kept])

    def draw(count: int) -> NDArray[np.float64]:
        drawn = rng.choice(form, size=(count, loads)) * rng.choice(spreads)
        return np.asarray(np.median(drawn, axis=1))

    medians = np.median(rng.choice(form, size=(20_000, loads)), axis=1)
    return 100.0 * float(np.median(spreads) * medians.std()), draw


def alarms(draw: Draw, series: int) -> float:
    """Share of series without a step in which one is found at any time."""
    found = 0
    for _ in range(series):
        samples = draw(LENGTH)
        found += any(len(group(samples[:end]).starts) > 1 for end in range(SAMPLES_MIN, LENGTH + 1))
    return found / series


def found_after(draw: Draw, series: int) -> NDArray[np.float64]:
    """Share of series whose step is found by each campaign after it; shape (AFTER,)."""
    found = np.zeros(AFTER)
    for _ in range(series):
        samples = draw(BEFORE + AFTER)
        samples[BEFORE:] += STEP
        for after in range(1, AFTER + 1):
            starts = group(samples[: BEFORE + after]).starts[1:]
            if any(abs(start - BEFORE) <= NEAR for start in starts):
                found[after - 1 :] += 1
                break
    return found / series


def main() -> None:
    """Print a line for each noise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", type=int, default=300)
    series = parser.parse_args().series
    rng = np.random.default_rng(SEED)
    print(f"{series} series each | noise of a campaign (%) | alarms per 100 campaigns (%) | found "
          "within 2, 3, 5, 8 campaigns (%)")  # fmt: skip
    cases: list[tuple[str, float, Draw]] = [
        ("normal", percent, normal(percent, rng)) for percent in NORMAL_PERCENT
    ]
    cases += [(f"{name}, median of {loads} loads", *of_loads(name, loads, rng))
              for name in REFERENCES for loads in (LOADS, 5 * LOADS)]  # fmt: skip
    for name, percent, draw in cases:
        false, found = alarms(draw, series), 100.0 * found_after(draw, series)
        near = " / ".join(f"{found[after - 1]:.0f}" for after in (2, 3, 5, 8))
        print(f"{name} | {percent:.2f} | {100.0 * false:.1f} | {near}", flush=True)


if __name__ == "__main__":
    main()
