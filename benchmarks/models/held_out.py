"""Today's held-out errors beside what is asked of them: ``held_out.py [HARDWARE_RUNS]``.

Every line is a number that was asked for before it was known, what it is today, and whether it
holds. Nothing is tuned here. The exit code is 1 where one is missed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import linerate as lr
from linerate.models import Training, training_of
from linerate.models.capacity.model import Capacity
from linerate.models.operations import mix_runs
from linerate.models.operations.held_out import Sort
from linerate.models.operations.validation import validate_mixes
from linerate.models.validation.folds import Split, partitions
from linerate.models.validation.seen_loads import validate_seen
from linerate.models.validation.spread import Spread, spread
from linerate.models.validation.validation import Scores, validate
from linerate.tables.runs import read_runs

DATA = Path("data")
FOLDS = 5
SEED = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One number that was asked for."""

    what: str
    asked: str
    today: str
    floor: str
    holds: bool | None
    """None of what is said beside."""


def main() -> int:
    """Print the table; 1 where something asked for is missed."""
    hardware = [Path(path) for path in sys.argv[1:]]
    missed = 0
    print(f"{'held out':52}{'asked':>14}{'today':>20}{'floor':>16}")
    for line in lines(hardware):
        verdict = {True: "", False: "  missed", None: ""}[line.holds]
        missed += line.holds is False
        print(f"{line.what:52}{line.asked:>14}{line.today:>20}{line.floor:>16}{verdict}",
              flush=True)  # fmt: skip
    return int(missed > 0)


def lines(hardware: list[Path]) -> Iterator[Line]:
    """List all that is asked, the hardware table first where there is one."""
    if hardware:
        yield from of_hardware(training_of(read_runs(hardware)))
    reference = training_of(read_runs([DATA / "reference-veth"]))
    yield error_line("reference-veth, groups", (1.5, 2.8), scores_of(reference, "group"))
    yield from of_operations()
    yield of_cpu()


def of_hardware(training: Training) -> Iterator[Line]:
    """Errors, verdicts and intervals of the hardware table."""
    groups = scores_of(training, "group")
    sizes = scores_of(training, "frame_bytes")
    yield error_line("hardware, groups", (1.1, 3.1), groups)
    yield Line(what="hardware, one frame size, new loads", asked="-", today=short(sizes.error),
               floor=short(sizes.noise_floor), holds=None)  # fmt: skip
    known = validate_seen(training)
    if known is None:
        raise RuntimeError("the hardware table has loads of several frame sizes")
    yield Line(what="hardware, one frame size, loads seen at others", asked="0.3 / 1.5", floor="",
               today=short(known.error), holds=within(known.error, (0.3, 1.5)))  # fmt: skip
    both = group_and_size(training)
    yield Line(what="hardware, groups and their size", asked="1.6 / 3.3", today=short(both),
               floor=short(groups.noise_floor), holds=within(both, (1.6, 3.3)))  # fmt: skip
    verdicts = 100.0 * (groups.verdict_accuracy or 0.0)
    yield Line(what="hardware, verdicts right, %", asked=">= 99.5", today=f"{verdicts:.1f}",
               floor="", holds=verdicts >= 99.5)  # fmt: skip
    for what, share, high in (("single loads", groups.coverage, 0.93),
                              ("medians", groups.median_coverage, 0.95)):  # fmt: skip
        yield Line(what=f"hardware, coverage of {what}", asked=f"0.87 to {high}",
                   today=f"{share:.3f}", floor="", holds=0.87 <= share <= high)  # fmt: skip
    wide = known.median_half_width_percent
    yield Line(what="hardware, half-width of medians, loads seen, %", asked="4",
               today=f"{wide:.1f}", floor="", holds=wide <= 4.0)  # fmt: skip


def group_and_size(training: Training) -> Spread:
    """Error of cells of which neither the group nor the frame size was seen."""
    errors = []
    sizes = np.unique(training.cells.frame_bytes)
    for seen, held in partitions(training, "group", FOLDS, np.random.default_rng(SEED)):
        for size in sizes:
            model = Capacity.fit(seen.take(seen.cells.frame_bytes != size))
            medians = held.take(held.cells.frame_bytes == size).medians()
            predicted = model.limits(medians.cells).predicted_mpps
            errors.append(predicted / medians.forwarded_mpps - 1.0)
    return spread(np.concatenate(errors))


def of_operations() -> Iterator[Line]:
    """Errors of mixes, each with its kinds held out, and of filters by their number."""
    for name in ("izolan", "izolan-mixes", "izolan-mixes-2", "izolan-mixes-3",
                 "izolan-mixes-4", "izolan-mixes-5", "pairs", "pipelines", "pipelines-2",
                 "pipelines-3", "pipelines-4", "pipelines-5"):  # fmt: skip
        error, floor = operations_error(name, "mix")
        yield Line(what=f"reference-{name}, mixes", asked="4", today=short(error),
                   floor=short(floor), holds=error.median_percent <= 4.0)  # fmt: skip
    for name in ("sampaio", "filters", "filters-2", "filters-3", "filters-4", "filters-5"):
        error, floor = operations_error(name, "number")
        holds = error.median_percent <= floor.median_percent
        yield Line(what=f"reference-{name}, filters", asked="the floor", today=short(error),
                   floor=short(floor), holds=holds)  # fmt: skip


def operations_error(name: str, sort: Sort) -> tuple[Spread, Spread]:
    """Error of one sort of work held out, and what noise alone would give."""
    found = validate_mixes(mix_runs(read_runs([DATA / f"reference-{name}"])))
    error = next(one.error for one in found.scores if one.sort == sort)
    if error is None or found.noise_floor is None:
        raise RuntimeError(f"reference-{name} has no {sort} that can be held out")
    return error, found.noise_floor


def of_cpu() -> Line:
    """Points of CPU share in the split mode."""
    found = lr.validate(lr.read(DATA / "reference-veth-split"), of="cpu", progress=False).cpu
    points = next(score.points for score in found if score.name == "all")
    return Line(what="reference-veth-split, CPU, points", asked="3.5", today=f"{points:.1f}",
                floor="", holds=points <= 3.5)  # fmt: skip


def scores_of(training: Training, by: Split) -> Scores:
    """Score the capacity model on one split."""
    return validate(Capacity, training, by=by, rng=np.random.default_rng(SEED)).scores


def error_line(what: str, asked: tuple[float, float], scores: Scores) -> Line:
    """Put an error beside what was asked, median and mean."""
    return Line(what=what, asked=f"{asked[0]} / {asked[1]}", today=short(scores.error),
                floor=short(scores.noise_floor), holds=within(scores.error, asked))  # fmt: skip


def within(error: Spread, asked: tuple[float, float]) -> bool:
    """Whether median and mean, as printed, are at most what was asked."""
    return round(error.median_percent, 1) <= asked[0] and round(error.mean_percent, 1) <= asked[1]


def short(error: Spread | None) -> str:
    """Print median and mean."""
    return "-" if error is None else f"{error.median_percent:.1f} / {error.mean_percent:.1f}"


if __name__ == "__main__":
    sys.exit(main())
