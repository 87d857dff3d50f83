"""Captions that let a figure stand alone: box, program, sizes, n, date, statistic, command."""

from __future__ import annotations

import pandas as pd

from linerate.models.validation.validation import Scores, Spread
from linerate.reports.conditions import CHAIN, LOAD, condition, varying
from linerate.reports.figures import FigureKind
from linerate.reports.sections import Section, printable
from linerate.reports.words import Words


def caption(
    kind: FigureKind, section: Section, table: pd.DataFrame, words: Words, command: str
) -> str:
    """Say all that a reader needs who sees the figure by itself."""
    measured = table[table["series"] == "measured"] if "series" in table.columns else table
    said = [
        words(kind.title) + ".",
        words(
            "Box {box}; program {programs}; frames of {sizes} B; n = {cells} cells, {runs} runs; "
            "measured {dates}.",
            box=section.box_name, programs=names_of(measured["program"]),
            sizes=sizes_of(measured["frame_bytes"], words), cells=cells_in(measured),
            runs=runs_in(measured), dates=dates_of(_dated(section), words),
        ),
        words(kind.statistic),
    ]  # fmt: skip
    if kind.name == "held-out" and section.validation is not None:
        said.append(errors_of(section.validation.scores, words))
    if kind.name == "chain-rtt":
        said.extend(slopes_of(table, words))
    return " ".join([*said, words("Made by: {command}", command=command)])


def errors_of(scores: Scores, words: Words) -> str:
    """Error beside the noise floor, in one sentence."""
    return words(
        "Absolute error, median / mean: {error} %; noise floor of single runs: {floor} %; share of "
        "cells inside their interval: {coverage} %.",
        error=spread_text(scores.error, words), floor=spread_text(scores.noise_floor, words),
        coverage=words.number(100.0 * scores.coverage),
    )  # fmt: skip


def slopes_of(table: pd.DataFrame, words: Words) -> list[str]:
    """Say what each service function adds to a round trip, one sentence for each kind of chain."""
    if "r_squared" not in table.columns:
        return []
    lines = table[table["series"] == "line"].drop_duplicates([*CHAIN, *LOAD])
    told = [*CHAIN[:2], *varying(lines, (*CHAIN[2:], *LOAD), within=CHAIN[:2])]
    return [
        words(
            "{chain}: {none} µs + {slope} µs per function from the first on, R² = {share}.",
            chain=condition(row, told, words), none=words.number(row["rtt_of_none_us"]),
            slope=words.number(row["rtt_per_function_us"]),
            share=words.number(row["r_squared"], 4),
        )
        for _, row in lines.iterrows()
    ]  # fmt: skip


def spread_text(spread: Spread | None, words: Words) -> str:
    """Print median / mean; a dash where cells have one run only."""
    if spread is None:
        return "-"
    return f"{words.number(spread.median_percent, 2)} / {words.number(spread.mean_percent, 2)}"


def names_of(values: pd.Series) -> str:
    """Distinct names, joined."""
    return ", ".join(printable(str(name)) for name in values.unique())


def sizes_of(values: pd.Series, words: Words) -> str:
    """Frame sizes, joined; only their ends where there are many."""
    sizes = sorted(values.unique())
    if len(sizes) > 8:
        return words("{low} to {high}", low=words.number(sizes[0]), high=words.number(sizes[-1]))
    return ", ".join(words.number(size) for size in sizes)


def cells_in(measured: pd.DataFrame) -> int:
    """Cells drawn; the statistics of one cell are not counted apart."""
    if "statistic" in measured.columns:
        measured = _once(measured)
    return len(measured)


def _once(measured: pd.DataFrame) -> pd.DataFrame:
    """Rows of one statistic: the mean, or whichever comes first."""
    there = measured["statistic"]
    return measured[there == ("mean" if (there == "mean").any() else there.iloc[0])]


def runs_in(measured: pd.DataFrame) -> int:
    """Count the runs behind them."""
    if "statistic" in measured.columns:
        measured = _once(measured)
    return int(measured["runs"].sum())


def _dated(section: Section) -> pd.DataFrame:
    """Take the runs of a section, or its searches where it has nothing else."""
    return section.runs if len(section.runs) or section.searches is None else section.searches


def dates_of(runs: pd.DataFrame, words: Words) -> str:
    """First and last day of measuring, UTC."""
    known = "started_at" in runs.columns
    stamps: list[str] = runs["started_at"].dropna().astype(str).tolist() if known else []
    days = sorted({stamp[:10] for stamp in stamps if stamp})
    if not days:
        return words("at a date not recorded")
    return days[0] if len(days) == 1 else words("{low} to {high}", low=days[0], high=days[-1])
