"""The tables of a report's pipelines as one page of Markdown, to be kept beside the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from linerate.reports.language import Words
from linerate.reports.page.page import Shown, Verdict
from linerate.reports.page.provenance import facts_of
from linerate.reports.section import Section

FILE = "swx-rates.md"
TABLES = ("pipelines", "operation-costs", "mixes", "load-latencies", "searches")
"""Summaries of the page, in its order."""


def rate_page(section: Section, tables: Sequence[Shown], words: Words) -> str:
    """Write the page: the machine, then each table that the section has, under its title."""
    lines = ["# " + words("Rates of pipelines"), ""]
    lines += [
        f"- {fact.name}: {fact.value}" for fact in facts_of(section, words)
        if fact.name != words("program hashes")  # one for each row
    ]  # fmt: skip
    by_name = {table.name.rpartition("/")[2]: table for table in tables}
    for name in TABLES:
        if name in by_name:
            lines += _table(by_name[name])
    return "\n".join(lines) + "\n"


def _table(table: Shown) -> Iterator[str]:
    """Write a table as Markdown; a bar in a text would end its cell."""
    yield from ("", f"## {table.title}", "", table.note, "")
    yield _line(table.header)
    yield "|" + "---|" * len(table.header)
    yield from map(_line, table.rows)


def _line(cells: Sequence[str | Verdict]) -> str:
    """Write a row.

    >>> _line(("1", "x|y"))
    '| 1 | x/y |'
    """
    texts = [cell if isinstance(cell, str) else cell.text for cell in cells]
    return "| " + " | ".join(text.replace("|", "/") for text in texts) + " |"
