"""The tables of a report's pipelines as one page of Markdown, to be kept beside the data."""

from __future__ import annotations

from collections.abc import Iterator

from linerate.reports.provenance import facts_of
from linerate.reports.sections import Section
from linerate.reports.summaries import SUMMARIES, Grid, SummaryKind
from linerate.reports.tables import LeftOut
from linerate.reports.words import Words

FILE = "swx-rates.md"
TABLES = ("pipelines", "operation-costs", "mixes", "load-latencies", "searches")
"""Summaries of the page, in its order."""


def rate_page(section: Section, words: Words) -> str:
    """Write the page: the machine, then each table that the section has, under its title."""
    lines = [f"# {words('Rates of pipelines')}", ""]
    lines += [
        f"- {fact.name}: {fact.value}" for fact in facts_of(section, words)
        if fact.name != words("program hashes")  # one for each row
    ]  # fmt: skip
    by_name = {kind.name: kind for kind in SUMMARIES}
    for name in TABLES:
        lines += _table(by_name[name], section, words)
    return "\n".join(lines) + "\n"


def _table(kind: SummaryKind, section: Section, words: Words) -> Iterator[str]:
    table = kind.table(section) if kind.study in section.studies else None
    if table is None or isinstance(table, LeftOut):
        return
    yield from ("", f"## {words(kind.title)}", "", words(kind.statistic), "")
    yield from grid_lines(kind.grid(table, words))


def grid_lines(grid: Grid) -> Iterator[str]:
    """Write a grid as a table of Markdown; a bar in a text would end its cell.

    >>> list(grid_lines(Grid(header=("a", "b"), rows=(("1", "x|y"),))))
    ['| a | b |', '|---|---|', '| 1 | x/y |']
    """
    yield _line(grid.header)
    yield "|" + "---|" * len(grid.header)
    yield from map(_line, grid.rows)


def _line(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"
