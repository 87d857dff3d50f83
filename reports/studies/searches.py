"""Searches: what each found, and latency at shares of what it found carried."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from linerate.reports.figures.searches import bounds, load_latency
from linerate.reports.figures.searches.cells import cell_names, point_names
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import condition, conditions
from linerate.reports.language.factors import factored, varying
from linerate.reports.language.names import path_name, printable
from linerate.reports.section import Section
from linerate.reports.studies.study import (
    Column,
    Grid,
    StudyKind,
    Summary,
    grid_of,
    number_text,
)
from linerate.tables.search_answers import (
    CV_RATIO_MAX,
    SearchAnswer,
    answer_of,
    counted,
    latest,
)

BOUNDED = ("ndr", "pdr", "throughput")
"""Goals that are found between two loads, in order of the answer."""
LIMITS = {
    "device": message("the device"), "line_rate": message("line rate"),
    "generator": message("the generator"), "max_load": message("the highest load searched"),
    "min_load": message("the lowest load searched"), "budget": message("the trials allowed"),
    "host": message("others on the machine"),
}  # fmt: skip
"""What kept a bound from being higher, or from being found."""


def latency_grid(table: pd.DataFrame, words: Words) -> Grid:
    """Print latency at the shares of load that were taken: a row for each, p50 and p99."""
    keys = [name for name in point_names() if name in table.columns]
    wide = table.pivot_table(index=keys, columns="statistic", values="latency_us", dropna=False)
    offered = table.groupby(keys, dropna=False)["offered_mpps"].median()
    rows = wide.dropna(how="all").join(offered).reset_index()
    varied = varying(rows, cell_names())
    columns: list[Column] = [
        (words("cell"), lambda row: condition(row, varied, words)),
        (words("load (%)"), lambda row: number_text(row["load_percent"], words)),
        (words("offered (Mpps)"), lambda row: number_text(row["offered_mpps"], words)),
        (words("median (µs)"), lambda row: number_text(row["p50"], words)),
        (words("99th percentile (µs)"), lambda row: number_text(row["p99"], words)),
    ]
    return grid_of(rows, columns)


def searches_grid(table: pd.DataFrame, words: Words) -> Grid:
    """Print bounds as they were found."""
    varied = ["datapath", *varying(table, cell_names(), within=("datapath",))]
    columns: list[Column] = [
        (words("cell"), lambda row: condition(row, varied, words)),
        (words("goal"), lambda row: str(row["goal"]).upper()),
        (words("repetition"), lambda row: number_text(row["repetition"], words)),
        (words("carried (Mpps)"), lambda row: number_text(
            row["mrr_mpps"] if row["goal"] == "mrr" else row["lower_mpps"], words, 4)),
        (words("not carried (Mpps)"), lambda row: number_text(row["upper_mpps"], words, 4)),
        (words("loss at the lower bound (%)"), lambda row: number_text(
            100.0 * row["lower_loss_ratio"], words)),
        (words("limited by"), lambda row: (
            "" if pd.isna(row["limited_by"]) else _limit(str(row["limited_by"]), words))),
    ]  # fmt: skip
    return grid_of(table, columns)


def _limit(name: str, words: Words) -> str:
    return words(LIMITS[name]) if name in LIMITS else printable(name)


def answer(section: Section, words: Words) -> Iterator[str]:
    """Say what the searches of one cell found, of each goal on each path: median and range."""
    found = section.searches
    if found is None:
        return
    table = factored(latest(found), cell_names())
    for goal in BOUNDED:
        rows = table[table["goal"] == goal]
        for (datapath, program), own in rows.groupby(["datapath", "program"], sort=False):
            path = path_name(str(datapath), str(program), alone=False)
            name = goal.upper() if goal != "throughput" else words("throughput (RFC 2544)")
            yield " ".join(_found(own, name, path, words))


def _found(rows: pd.DataFrame, goal: str, path: str, words: Words) -> Iterator[str]:
    """Name the cell whose searches carry most in the median, and how far they lie apart."""
    cells = conditions(rows, varying(rows, cell_names()), words)
    answers = [(answer_of(of_cell), name, of_cell) for name, of_cell in cells]
    answered = [each for each in answers if each[0].loads_mpps]
    if not answered:
        yield words(
            "{goal} on {path}: no answer, for none of {n} searches counts: each was disturbed, cut "
            "short, or carried nothing.", goal=goal, path=path, n=len(rows),
        )  # fmt: skip
        return
    best, name, of_cell = max(answered, key=lambda each: each[0].median_mpps)
    yield from _rate(best, goal, path, words)
    if of_cell[counted(of_cell)]["upper_mpps"].isna().any():
        yield words("No higher load was tried.")
    if left_out := best.searches - len(best.loads_mpps):
        yield words("Left out, for they were disturbed, cut short, or carried nothing: {n} of "
                    "{all} searches.", n=left_out, all=best.searches)  # fmt: skip
    if len(cells) > 1:
        yield words("That is the best of {n} cells: {cell}.", n=len(cells), cell=name)


def _rate(best: SearchAnswer, goal: str, path: str, words: Words) -> Iterator[str]:
    median = words.number(best.median_mpps)
    if best.steady is None:
        yield words("{goal} on {path}: {median} Mpps carried in one search.", goal=goal,
                    path=path, median=median)  # fmt: skip
        return
    yield words(
        "{goal} on {path}: {median} Mpps carried, median of {n} searches ({low} to {high}, CV "
        "{cv} %).", goal=goal, path=path, median=median, n=len(best.loads_mpps),
        low=words.number(best.smallest_mpps), high=words.number(best.largest_mpps),
        cv=words.number(100.0 * best.cv_ratio, 2),
    )  # fmt: skip
    if not best.steady:
        yield words("They lie further apart than {most} % (CV): take the range, not the median.",
                    most=words.number(100.0 * CV_RATIO_MAX))  # fmt: skip


STUDY = StudyKind(
    name="searches", answer=answer, summaries=(
        Summary(
            name="load-latencies", title=message("Latency at shares of the carried load"),
            statistic=message(
                "Medians over the searches; 100 % is the highest lower bound of the same search."
            ), table=load_latency.table, grid=latency_grid,
        ),
        Summary(
            name="searches", title=message("What the searches found"), statistic=message(
                "A row for each goal of each search: the load that met it and the load that did "
                "not. The truth lies between the two; of MRR it is the mean received rate."
            ), table=bounds.table, grid=searches_grid,
        ),
    ),
)  # fmt: skip
