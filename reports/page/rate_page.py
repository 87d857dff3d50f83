"""The tables of a report's pipelines as one page of Markdown, to be kept beside the data."""

from __future__ import annotations

from collections.abc import Iterator

from linerate.reports.language import Words
from linerate.reports.page.provenance import facts_of
from linerate.reports.section import Section
from linerate.reports.studies import STUDY_KINDS, Grid, Summary
from linerate.reports.tables import LeftOut

FILE = "swx-rates.md"
TABLES = ("pipelines", "operation-costs", "mixes", "load-latencies", "searches")
"""Summaries of the page, in its order."""


def rate_page(section: Section, words: Words) -> str:
    """Write the page: the machine, then each table that the section has, under its title."""
    lines = ["# " + words("Rates of pipelines"), ""]
    lines += [
        f"- {fact.name}: {fact.value}" for fact in facts_of(section, words)
        if fact.name != words("program hashes")  # one for each row
    ]  # fmt: skip
    there = section.studies
    summaries = {summary.name: summary for study in STUDY_KINDS if study.name in there
                 for summary in study.summaries}  # fmt: skip
    for name in TABLES:
        if name in summaries:
            lines += _table(summaries[name], section, words)
    return "\n".join(lines) + "\n"


def _table(summary: Summary, section: Section, words: Words) -> Iterator[str]:
    table = summary.table(section)
    if isinstance(table, LeftOut):
        return
    yield from ("", f"## {words(summary.title)}", "", words(summary.statistic), "")
    yield from grid_lines(summary.grid(table, words))


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
