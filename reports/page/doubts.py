"""What of a part to distrust: a sentence each, with its number and what it concerns."""

from __future__ import annotations

from collections.abc import Iterator

from linerate.models.runs.selection import believable
from linerate.reports.figures.load.counters import counted
from linerate.reports.language import Words
from linerate.reports.language.names import path_names
from linerate.reports.section import Section
from linerate.tables.cell_columns import cell_codes

DRIFT_MAX = 0.03
"""A canary that ran so far from its median is named."""
COVERAGE_MIN = 0.87
"""Intervals that hold less of the loads not seen are named; they promise 0.9."""


def doubts(section: Section, words: Words) -> Iterator[str]:
    """Say what was not believed, measured too seldom, predicted badly, or not measured at all."""
    yield from _judged(section, words)
    yield from _drift(section, words)
    yield from _single_loads(section, words)
    yield from _errors(section, words)
    yield from _intervals(section, words)
    yield from _domain(section, words)
    yield from _absent(section, words)


def _judged(section: Section, words: Words) -> Iterator[str]:
    runs = section.runs
    if "verdict" not in runs.columns:
        return
    counts = {name: int((runs["verdict"] == name).sum()) for name in ("invalid", "suspect")}
    if any(counts.values()):
        yield words(
            "All figures and tables: of {runs} runs {invalid} were judged invalid and are in none; "
            "{suspect} are suspect, and left out where their cell has valid ones.",
            runs=words.number(len(runs), 6), invalid=words.number(counts["invalid"], 6),
            suspect=words.number(counts["suspect"], 6),
        )  # fmt: skip


def _drift(section: Section, words: Words) -> Iterator[str]:
    """Say how far the speed of the machine moved while the campaign ran."""
    if "drift_ratio" not in section.runs.columns:
        return
    kept, _ = believable(section.runs)
    ratios = kept["drift_ratio"].dropna().astype("float64")
    if len(ratios) and float((ratios - 1.0).abs().max()) > DRIFT_MAX:
        far = float(((ratios - 1.0).abs() > DRIFT_MAX).mean())
        yield words(
            "All rates: while they were measured, the cell that was repeated to see drift ran at "
            "{low} to {high} % of its median; {share} % of the runs are of times when it was more "
            "than {most} % off.",
            low=words.number(100.0 * ratios.min()), high=words.number(100.0 * ratios.max()),
            share=words.number(100.0 * far, 2), most=words.number(100.0 * DRIFT_MAX),
        )  # fmt: skip


def _single_loads(section: Section, words: Words) -> Iterator[str]:
    kept, _ = believable(section.runs)
    if kept.empty or "run_id" not in kept.columns or bool(kept["run_id"].isna().any()):
        return
    loads = kept["run_id"].groupby(cell_codes(kept)).nunique()
    one = int((loads == 1).sum())
    if one:
        yield words(
            "Figures with bars: {one} of {cells} cells have one program load, which says nothing "
            "of how loads differ.",
            one=words.number(one, 6), cells=words.number(len(loads), 6),
        )  # fmt: skip


def _errors(section: Section, words: Words) -> Iterator[str]:
    scores = section.validation.scores if section.validation is not None else None
    if scores is not None and scores.noise_floor is not None:
        yield words(
            "Table of errors: cells not seen are {error} % off in the median and {worse} % in the "
            "mean; noise alone would give {floor} % and {higher} %.",
            error=words.number(scores.error.median_percent, 2),
            worse=words.number(scores.error.mean_percent, 2),
            floor=words.number(scores.noise_floor.median_percent, 2),
            higher=words.number(scores.noise_floor.mean_percent, 2),
        )  # fmt: skip


def _intervals(section: Section, words: Words) -> Iterator[str]:
    if section.validation is None:
        return
    counts = section.validation.frame.groupby(["datapath", "program"], sort=False)[
        ["runs_inside", "runs"]
    ].sum()
    names = path_names(list(counts.index))
    for path, (inside, runs) in zip(counts.index, counts.to_numpy(), strict=True):
        if inside < COVERAGE_MIN * runs:
            yield words(
                "Intervals of {path}: they promise 90 % and held {held} % of {runs} runs of cells "
                "not seen.",
                path=names[path], held=words.number(100.0 * inside / runs),
                runs=words.number(runs, 6),
            )  # fmt: skip


def _domain(section: Section, words: Words) -> Iterator[str]:
    """Say between which values each path was fitted: beyond them nothing is promised."""
    if section.predictor is None:
        return
    known = section.predictor.domain.pairs
    names = path_names([one.pair for one in known])
    for one in known:
        ranges = (one.memory_accesses, one.queues, one.frame_bytes)
        accesses, queues, sizes = (
            words.number(ends.low, 6) if ends.fixed else
            words("{low} to {high}", low=words.number(ends.low, 6), high=words.number(ends.high, 6))
            for ends in ranges
        )  # fmt: skip
        yield words(
            "Predictions of {path} outside what was measured (accesses {accesses}; queues "
            "{queues}; frames of {sizes} B): their intervals are wider, and 90 % is not promised.",
            path=names[one.pair], accesses=accesses, queues=queues, sizes=sizes,
        )  # fmt: skip


def _absent(section: Section, words: Words) -> Iterator[str]:
    runs = section.runs
    columns = {
        words("latency"): [name for name in runs.columns if name.startswith(("latency_", "rtt_"))],
        words("CPU"): ["cpu_busy_ratio"] if "cpu_busy_ratio" in runs.columns else [],
    }
    missing = [name for name, there in columns.items() if not runs[there].notna().any().any()]
    if len(runs) and missing:
        yield words("Not measured in any run: {what}; no figure or table refers to it.",
                    what=", ".join(missing))  # fmt: skip
    if len(section.rows("filters")):
        yield words("Filters: each run keeps one number of CPU and one of memory, so that no "
                    "figure shows either over time, as Sampaio (2017) has them.")  # fmt: skip
    if len(section.rows("capacity")) and not counted(runs):
        yield words("No run has counters of the CPU (instructions, branches, cache loads and "
                    "misses): no figure shows what the time of a packet is spent on.")  # fmt: skip
