"""The tables of a report: the numbers of each once, for the eye and as CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

import pandas as pd

from linerate.models.validation.latency import ALL
from linerate.reports.language import Words, message
from linerate.reports.page import answers, capacity, other_errors
from linerate.reports.page.files import csv_of
from linerate.reports.page.other_errors import numbers_of
from linerate.reports.page.page import Shown, VerdictGrid, Written
from linerate.reports.section import Section
from linerate.reports.studies import STUDY_KINDS, Grid, Summary
from linerate.reports.tables import LeftOut

FOLDER = "tables"
"""Of their files: a figure and a table of one name are two files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableKind:
    """A table of capacity that a report may hold."""

    name: str
    """Of its file."""
    title: str
    """A message of the catalogue."""
    numbers: Callable[[Section], pd.DataFrame]
    """Takes what is printed, whole."""
    grid: Callable[[Section, Words], Grid | VerdictGrid]
    note: Callable[[Section, Words], str] = lambda section, words: ""
    in_answer: bool = False


def error_numbers(section: Section) -> pd.DataFrame:
    """Errors on cells not seen: ``of, error_*, noise_floor_*``, %, and the scores of all."""
    if section.validation is None:
        return pd.DataFrame()
    scores = section.validation.scores
    rows = [
        {"of": "all", **numbers_of("error", scores.error),
         **numbers_of("noise_floor", scores.noise_floor), "cells": scores.cells,
         "coverage": scores.coverage, "half_width_percent": scores.half_width_percent,
         "verdict_accuracy": scores.verdict_accuracy},
        {"of": "below line rate and offered load", **numbers_of("error", scores.service_error),
         **numbers_of("noise_floor", scores.service_noise_floor)},
    ]  # fmt: skip
    return pd.DataFrame(rows)


def load_error_numbers(section: Section) -> pd.DataFrame:
    """Errors under a load: ``quantity, runs, error_*, noise_floor_*, points``, %."""
    rows: list[dict[str, object]] = [
        {"quantity": score.quantity, "runs": score.runs, **numbers_of("error", score.error),
         **numbers_of("noise_floor", score.noise_floor)}
        for score in (section.latency_scores.scores if section.latency_scores else ())
        if score.name == ALL
    ]  # fmt: skip
    rows += [
        {"quantity": "cpu_busy_ratio", "runs": score.runs, "points": score.points}
        for score in (section.cpu_scores.scores if section.cpu_scores else ())
        if score.name == ALL
    ]
    return pd.DataFrame(rows)


def _error_note(section: Section, words: Words) -> str:
    floor = words("Noise floor: what a perfect model would score, since medians of few loads are "
                  "noisy. An error far below it would be a leak.")  # fmt: skip
    return " ".join(filter(None, (capacity.scores_sentence(section, words), floor)))


KINDS = (
    TableKind(
        name="verdicts", in_answer=True,
        title=message("Up to how many memory accesses per packet line rate is sustained"),
        numbers=answers.verdict_table, grid=capacity.verdict_grid,
        note=lambda section, words: words(
            "Bold: up to this many accesses the model gives line rate a better than even chance, "
            "within the access counts that were measured. Sustained: at least 99 % of line rate "
            "is forwarded."
        ),
    ),
    TableKind(
        name="constants", title=message("Constants of the fitted model"),
        numbers=lambda section: pd.DataFrame([asdict(one) for one in answers.constants(section)]),
        grid=capacity.constants_grid,
    ),
    TableKind(
        name="held-out-errors",
        title=message("How far off it is on cells that it had not seen"),
        numbers=error_numbers, grid=capacity.errors_grid, note=_error_note,
    ),
    TableKind(
        name="load-errors",
        title=message("How far off latency and CPU are on loads that it had not seen"),
        numbers=load_error_numbers, grid=capacity.load_errors_grid,
        note=lambda section, words: words(
            "Latency: runs below 80 % of the predicted capacity, each against its own prediction. "
            "CPU: mean absolute error of the share."
        ),
    ),
    TableKind(
        name="operation-errors",
        title=message("How far off costs of operations are on packets that they had not seen"),
        numbers=other_errors.operation_numbers, grid=other_errors.operations_grid,
        note=lambda section, words: words(
            "Each is left out with all that would give its answer away. Noise floor: what a "
            "perfect model would score, since medians of few loads are noisy."
        ),
    ),
    TableKind(
        name="chain-errors",
        title=message("How far off chains are of lengths that had not been seen"),
        numbers=other_errors.chain_numbers, grid=other_errors.chains_grid,
        note=lambda section, words: words("Each length is left out in turn."),
    ),
    TableKind(
        name="limits", title=message("What limits the measured cells"),
        numbers=answers.bottleneck_table, grid=capacity.bottleneck_grid,
    ),
)  # fmt: skip
"""In order of the page; those of the studies follow."""


def tables_of(section: Section, words: Words, prefix: str) -> Iterator[Shown]:
    """Print every table that the section has rows of.

    Parameters
    ----------
    section
        What was measured and fitted.
    words
        Of the report's language.
    prefix
        Folder of the section, from the report's; empty for its own.
    """
    for kind in KINDS:
        grid = kind.grid(section, words)
        if grid.rows:
            yield Shown(
                name=f"{prefix}{FOLDER}/{kind.name}", title=words(kind.title), header=grid.header,
                rows=grid.rows, note=kind.note(section, words), in_answer=kind.in_answer,
                file=file_of(f"{prefix}{FOLDER}/{kind.name}", kind.numbers(section)),
            )  # fmt: skip
    for summary in _summaries(section):
        table = summary.table(section)
        if isinstance(table, LeftOut):
            continue
        grid = summary.grid(table, words)
        name = f"{prefix}{FOLDER}/{summary.name}"
        yield Shown(name=name, title=words(summary.title), header=grid.header, rows=grid.rows,
                    note=words(summary.statistic), file=file_of(name, table))  # fmt: skip


def _summaries(section: Section) -> Iterator[Summary]:
    there = section.studies
    for study in STUDY_KINDS:
        if study.name in there:
            yield from study.summaries


def file_of(name: str, numbers: pd.DataFrame) -> Written:
    """Write the numbers of a table as a CSV of this name."""
    return Written(form="CSV", path=f"{name}.csv", content=csv_of(numbers))
