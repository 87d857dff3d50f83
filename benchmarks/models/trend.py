"""How soon ``linerate trend`` finds a step of 3 %, and how often it finds one where there is none.

``python -m benchmarks.models.trend``: series of campaigns with normal noise, and with that of
program loads of the reference campaigns, of which a campaign takes the median, of one cell and of
all of a campaign together. A step counts as found where a level starts at most two campaigns from
it; an alarm is any step in a series of 100 campaigns without one, looked at after each campaign
from the tenth on. Beside it stands what no rule can pass that gives as few alarms.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.stats import norm

import linerate as lr
from linerate.line_rate import sustains
from linerate.models.runs.selection import believable
from linerate.models.trends.changes import SAMPLES_MIN
from linerate.models.trends.groups import POOLED_EVIDENCE_BITS, TAILS_EVIDENCE_BITS, group
from linerate.models.trends.pooled import pooled
from linerate.tables.cell_columns import cell_codes
from linerate.units import line_rate_mpps

STEP, BEFORE, AFTER, LENGTH, NEAR = math.log(0.97), 30, 8, 100, 2
ALARMS = 0.02
SHOWN = (2, 3, 5, 8)
LOADS = 3
NORMAL_PERCENT = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)
REFERENCES = ("veth-split", "capeletti", "veth")
SEED = 20261124
Draw = Callable[[int], NDArray[np.float64]]


def bound(percent: NDArray[np.float64], after: int) -> float:
    """Share of steps that the best rule finds within some campaigns, if steps may be anywhere.

    Of a rule that gives an alarm in at most ``ALARMS`` of series, the chances to give one in each
    stretch of ``after`` campaigns add up to that. In a stretch none is better than the test of the
    most likely step of either sign at that chance, knowing the noise (Neyman and Pearson 1933); its
    level before comes from ``BEFORE`` campaigns.

    Parameters
    ----------
    percent
        Noise of a campaign, of one cell or of each of several that may be asked for, %.
    after
        Campaigns after the step.
    """
    level = ALARMS / ((LENGTH - SAMPLES_MIN) / after)
    far = abs(STEP) / (percent / 100.0) / math.sqrt(1.0 / after + 1.0 / BEFORE)
    needed = norm.isf(level / 2.0)
    return float(np.mean(norm.sf(needed - far) + norm.cdf(-needed - far)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Noise that series are drawn with."""

    name: str
    percent: NDArray[np.float64]
    """Noise of a campaign, %: of each cell that a series may be of, or of all together."""
    draw: Draw
    """So many campaigns in order, shape (campaigns, cells)."""


def normal(percent: float, rng: np.random.Generator) -> Case:
    """Draw samples of normal noise."""
    return Case(name="normal", percent=np.array([percent]),
                draw=lambda count: rng.normal(0.0, percent / 100.0, (count, 1)))  # fmt: skip


def residuals(name: str) -> list[NDArray[np.float64]]:
    """Take logs of the loads of cells of a reference campaign that are below their ceiling.

    One cell of each program load: the one of most runs, of the smallest frames.
    """
    runs, _ = believable(lr.read(f"data/reference-{name}").table)
    runs = runs[runs["forwarded_mpps"] > 0.0]
    ceiling = np.minimum(line_rate_mpps(runs["link_gbps"], runs["frame_bytes"]),
                         runs["offered_mpps"])  # fmt: skip
    held = pd.Series(sustains(runs["forwarded_mpps"], ceiling), index=runs.index)
    code = cell_codes(runs)
    runs = runs.assign(log=np.log(runs["forwarded_mpps"]), cell=code)
    runs = runs[~held.groupby(code).transform("all")]
    apart = ["datapath", "program", "queues", "memory_accesses"]
    found = []
    for _, own in runs.sort_values("frame_bytes", kind="stable").groupby(apart):
        cells = own.groupby("cell", sort=False)["log"]
        best = cells.get_group(cells.size().idxmax()).to_numpy(np.float64)
        if len(best) >= LOADS and best.std() > 1e-6:
            found.append(best)
    return found


def of_loads(name: str, loads: int, rng: np.random.Generator) -> tuple[Case, Case]:
    """Draw medians of program loads: of another cell for each series, and of all together."""
    kept = residuals(name)
    spreads = np.array([own.std(ddof=1) for own in kept])
    # Cells have few loads: the form of the noise is pooled, its size is each cell's own.
    form = np.concatenate([(own - own.mean()) / own.std(ddof=0) for own in kept])

    def medians(count: int, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
        drawn = rng.choice(form, size=(count, len(sizes), loads))
        return np.asarray(np.median(drawn, axis=2) * sizes)

    own = 100.0 * spreads * medians(20_000, np.ones(1)).std()
    together = np.array([100.0 * float(pooled(medians(2000, spreads)).std())])
    return (
        Case(name=f"{name}, median of {loads} loads", percent=own,
             draw=lambda count: medians(count, rng.choice(spreads, 1))),
        Case(name=f"the same, {len(kept)} cells together", percent=together,
             draw=lambda count: medians(count, spreads)),
    )  # fmt: skip


def levels_of(samples: NDArray[np.float64]) -> tuple[int, ...]:
    """Find where levels start in campaigns of some cells, as ``linerate trend`` does."""
    evidence = POOLED_EVIDENCE_BITS if samples.shape[1] > 1 else TAILS_EVIDENCE_BITS
    return group(pooled(samples - np.median(samples, axis=0)), evidence_bits=evidence).starts


def alarms(draw: Draw, series: int) -> float:
    """Share of series without a step in which one is found at any time."""
    found = 0
    for _ in range(series):
        samples = draw(LENGTH)
        found += any(len(levels_of(samples[:end])) > 1 for end in range(SAMPLES_MIN, LENGTH + 1))
    return found / series


def found_after(draw: Draw, series: int) -> NDArray[np.float64]:
    """Share of series whose step is found by each campaign after it; shape (AFTER,)."""
    found = np.zeros(AFTER)
    for _ in range(series):
        samples = draw(BEFORE + AFTER)
        samples[BEFORE:] += STEP
        for after in range(1, AFTER + 1):
            starts = levels_of(samples[: BEFORE + after])[1:]
            if any(abs(start - BEFORE) <= NEAR for start in starts):
                found[after - 1 :] += 1
                break
    return found / series


def line_of(case: Case, series: int) -> str:
    """Measure one noise, and say it in a line."""
    false, found = alarms(case.draw, series), 100.0 * found_after(case.draw, series)
    near = " / ".join(f"{found[after - 1]:.0f}" for after in SHOWN)
    most = " / ".join(f"{100.0 * bound(case.percent, after):.0f}" for after in SHOWN)
    noise = float(np.median(case.percent))
    return f"{case.name} | {noise:.2f} | {100.0 * false:.1f} | {near} | {most}"


def main() -> None:
    """Print a line for each noise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", type=int, default=300)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--together", action="store_true", help="only all cells of a campaign")
    asked = parser.parse_args()
    series = asked.series
    print(f"{series} series each | noise of a campaign (%) | alarms per 100 campaigns (%) | found "
          "within 2, 3, 5, 8 campaigns (%) | the most that can be found")  # fmt: skip
    drawn = [(name, loads) for name in REFERENCES for loads in (LOADS, 5 * LOADS)]
    own = map(np.random.default_rng, np.random.SeedSequence(asked.seed).spawn(100))
    cases = [normal(percent, next(own)) for percent in NORMAL_PERCENT]
    cases += [case for name, loads in drawn for case in of_loads(name, loads, next(own))]
    cases = [case for case in cases if "together" in case.name or not asked.together]
    work = (delayed(line_of)(case, series) for case in cases)
    for line in Parallel(n_jobs=-1, return_as="generator")(work):
        print(line, flush=True)


if __name__ == "__main__":
    main()
