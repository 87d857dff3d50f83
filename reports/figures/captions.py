"""Captions that let a figure stand alone, made from the table that it draws."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from linerate.reports.drawing.paths import panels_left_out
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.lab import lab_sentences
from linerate.reports.language import Words
from linerate.reports.language.names import printable
from linerate.reports.language.operations import operations_text
from linerate.reports.section import Section
from linerate.reports.tables.behind import runs_behind

RATES = frozenset({"mpps", "measured_mpps", "lower_mpps", "value"})
"""Columns of tables that hold rates of packets."""
OPERATIONS_MAX = 3
"""More sets of operations of one program are for the figure to name."""
PROGRAMS_MAX = 12
"""More are for the CSV to name: nobody reads a list of a hundred in a caption."""


def caption(
    kind: FigureKind, section: Section, table: pd.DataFrame, words: Words, command: str
) -> str:
    """Say all that a reader needs who sees the figure by itself."""
    measured = of_measured(table)
    behind = runs_behind(table, section, kind.studies)
    sentences = [
        words(kind.title) + ".",
        words(
            "Box {box}; program {programs}; frames of {sizes} B; n = {cells}, {runs}; "
            "measured {dates}.",
            box=section.box_name, programs=programs_of(measured, words),
            sizes=sizes_of(_sizes(measured, behind), words),
            cells=words.plural("{n} cell", "{n} cells", cells_in(measured)),
            runs=runs_text(measured, behind, words), dates=dates_of(behind, words),
        ),
        *lab_sentences(behind, words, rates=bool(RATES.intersection(measured.columns))),
        *kind.caption(table, words, section),
        words("Made by: {command}", command=command),
    ]  # fmt: skip
    return " ".join(sentences)


def programs_of(measured: pd.DataFrame, words: Words) -> str:
    """Name the programs, each with the operations of its packets where the table has them."""
    names = measured["program"].drop_duplicates()
    if len(names) > PROGRAMS_MAX:
        return words("{first} and {n} others, which the CSV names",
                     first=printable(str(names.iloc[0])), n=len(names) - 1)  # fmt: skip
    if "operations" not in measured.columns:
        return names_of(names)
    pairs = measured[["program", "operations"]].drop_duplicates()
    found = [_with_operations(str(name), own["operations"], words)
             for name, own in pairs.groupby("program", sort=False)]  # fmt: skip
    return ", ".join(found)


def _with_operations(program: str, operations: pd.Series, words: Words) -> str:
    texts = [operations_text(str(text)) for text in operations]
    if not any(texts) or len(texts) > OPERATIONS_MAX:
        return printable(program)
    named = words(" or ").join(text or words("no operations") for text in texts)
    return words("{program} with {operations} per packet", program=printable(program),
                 operations=named)  # fmt: skip


def runs_text(measured: pd.DataFrame, behind: pd.DataFrame, words: Words) -> str:
    """Count the runs drawn, and the program loads that they are of where that is known."""
    count = runs_in(measured)
    text = words.plural("{n} run", "{n} runs", count, digits=6)
    names = [name for name in ("campaign", "run_id") if name in behind.columns]
    if "run_id" not in names or len(behind) != count or bool(behind["run_id"].isna().any()):
        return text
    loads = len(behind[names].drop_duplicates())
    return words.plural("{runs} of {n} program load", "{runs} of {n} program loads", loads,
                        digits=6, runs=text)  # fmt: skip


def marks_and_lines(table: pd.DataFrame, words: Words, section: Section | None = None) -> list[str]:
    """Say what is drawn of the series that most tables have."""
    there = set(table["series"])
    sentences = [*marks_of(table, words)]
    if "model" in there:
        sentences.append(words("Lines: the fitted model."))
    if "line_rate" in there:
        sentences.append(words("Dashed: line rate."))
    return sentences


def of_panels(table: pd.DataFrame, words: Words, section: Section | None = None) -> list[str]:
    """Say the same of panels of paths and queues, and which of them are drawn."""
    return [*marks_and_lines(table, words), *panels_left_out(table, words)]


def marks_of(
    table: pd.DataFrame, words: Words, section: Section | None = None
) -> Iterator[str]:  # fmt: skip
    """Say what a mark is, by whether any is of several runs."""
    measured = of_measured(table)
    if (measured["runs"] > 1).any():
        yield words("Marks: median of the repetitions, bars from the smallest to the largest.")
    elif len(measured):
        yield words("Marks: single runs.")


def marks_of_statistics(table: pd.DataFrame, words: Words) -> Iterator[str]:
    """Say what a mark is where each run has several statistics."""
    measured = of_measured(table)
    if (measured["runs"] > 1).any():
        yield words("Marks: median over the runs of each run's statistic, bars from the smallest "
                    "to the largest.")  # fmt: skip
    elif len(measured):
        yield words("Marks: the statistics of single runs.")


def of_measured(table: pd.DataFrame) -> pd.DataFrame:
    """Take the rows that were measured."""
    return table[table["series"] == "measured"] if "series" in table.columns else table


def names_of(values: pd.Series) -> str:
    """Distinct names, joined."""
    return ", ".join(printable(str(name)) for name in values.unique())


def sizes_of(values: pd.Series, words: Words) -> str:
    """Frame sizes, joined; only their ends where there are many."""
    sizes = sorted(values.unique())
    if len(sizes) > 8:
        return words("{low} to {high}", low=words.number(sizes[0]), high=words.number(sizes[-1]))
    return ", ".join(words.number(size) for size in sizes)


def _sizes(measured: pd.DataFrame, behind: pd.DataFrame) -> pd.Series:
    """Frame sizes of what is drawn; of all runs behind it where its rows are of several."""
    return behind["frame_bytes"] if "cells" in measured.columns else measured["frame_bytes"]


def cells_in(measured: pd.DataFrame) -> int:
    """Cells drawn; the statistics of one cell are not counted apart."""
    once = _once(measured)
    return int(once["cells"].sum()) if "cells" in once.columns else len(once)


def runs_in(measured: pd.DataFrame) -> int:
    """Count the runs behind them."""
    return int(_once(measured)["runs"].sum())


def _once(measured: pd.DataFrame) -> pd.DataFrame:
    """Rows of one statistic: the mean, or whichever comes first; of components the first, too."""
    if "component" in measured.columns:
        return measured.drop_duplicates(["datapath", "program"])
    if "statistic" not in measured.columns:
        return measured
    there = measured["statistic"]
    return measured[there == ("mean" if (there == "mean").any() else there.iloc[0])]


def dates_of(runs: pd.DataFrame, words: Words) -> str:
    """First and last day of measuring, UTC."""
    known = "started_at" in runs.columns
    stamps = runs["started_at"].dropna().astype(str).str[:10] if known else pd.Series(dtype=str)
    days = sorted(day for day in stamps.unique() if day)
    if not days:
        return words("at a date not recorded")
    return days[0] if len(days) == 1 else words("{low} to {high}", low=days[0], high=days[-1])
