"""What a report says of one study beside its figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from linerate.reports.language import Words
from linerate.reports.language.conditions import bytes_text
from linerate.reports.section import Section
from linerate.reports.section.rows import Study
from linerate.reports.tables import LeftOut

Column = tuple[str, Callable[[pd.Series], str]]
"""Header and what a row says under it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table of texts with a header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One table that a page may hold."""

    name: str
    """Of its file."""
    title: str
    """A message of the catalogue, as is the other."""
    statistic: str
    table: Callable[[Section], pd.DataFrame | LeftOut]
    grid: Callable[[pd.DataFrame, Words], Grid]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyKind:
    """One study: its tables on the page, and its answer."""

    name: Study
    summaries: tuple[Summary, ...] = ()
    answer: Callable[[Section, Words], Iterable[str]] = lambda section, words: ()
    """Says what was found, one sentence each."""


def grid_of(rows: pd.DataFrame, columns: Sequence[Column]) -> Grid:
    """Print rows; a column that is empty in each is left out."""
    texts = [tuple(say(row) for _, say in columns) for _, row in rows.iterrows()]
    kept = [place for place in range(len(columns)) if any(row[place] not in ("", "-")
                                                          for row in texts)]  # fmt: skip
    return Grid(
        header=tuple(columns[place][0] for place in kept),
        rows=tuple(tuple(row[place] for place in kept) for row in texts),
    )


def interval_text(row: pd.Series, name: str, words: Words) -> str:
    """Print the ends of an interval."""
    return range_text(row[f"lower_{name}"], row[f"upper_{name}"], words)


def range_text(low: float, high: float, words: Words) -> str:
    """Print two ends."""
    return words("{low} to {high}", low=number_text(low, words), high=number_text(high, words))


def number_text(value: float, words: Words, digits: int = 3) -> str:
    """Print a number of a table."""
    return words.number(float(value), digits)


def memory_text(value: float, words: Words) -> str:
    """Print a size; a dash where there is none."""
    return "-" if pd.isna(value) else bytes_text(float(value), words)
