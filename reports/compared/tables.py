"""The tables of a comparison: all cells together, each cell, what one alone has, what differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import pandas as pd

from linerate.models.contrast import SIDES, Summary
from linerate.reports.compared.answer import ends_text, factored_cells, named_ratios
from linerate.reports.compared.compared import Compared
from linerate.reports.compared.shifted import shifts_grid
from linerate.reports.compared.words import QUANTITIES
from linerate.reports.language import Words
from linerate.reports.language.conditions import condition
from linerate.reports.language.factors import varying
from linerate.reports.page.page import Shown
from linerate.reports.page.provenance import facts_of
from linerate.reports.page.tables import FOLDER, file_of
from linerate.reports.studies import Grid
from linerate.reports.tables.behind import every_factor


def tables_of(compared: Compared, words: Words) -> Iterator[Shown]:
    """Print every table that has rows."""
    found = compared.found
    first, second = compared.names
    yield _shown(
        "comparison", words("Both campaigns, all cells together"), _together(compared, words),
        pd.DataFrame(map(asdict, found.summaries)), words(
            "Ratio: {second} over {first}, median over sets of cells that share no program load, "
            "with the 90 % interval of its ranks.", first=first, second=second),
    )  # fmt: skip
    for summary in found.summaries:
        about = QUANTITIES[summary.quantity]
        rows = named_ratios(compared, summary.quantity, words)
        yield _shown(
            about.name, words(about.title), _cells(compared, rows, words), rows, words(
                "Ratio: median of each program load of {second} over each of {first}; its 90 % "
                "interval is that of a shift between two samples (Mann and Whitney). A cell tells "
                "where that leaves out 1.", first=first, second=second),
        )  # fmt: skip
    if compared.shifts:
        yield _shown(
            "constants", words("What a packet costs in both campaigns"),
            shifts_grid(compared, words), pd.DataFrame(map(asdict, compared.shifts)), words(
                "One capacity model, of the form that {first} chooses, fitted to each; difference: "
                "{second} less {first}, with its 90 % interval.", first=first, second=second),
        )  # fmt: skip
    if len(found.alone):
        yield _shown("cells-of-one", words("Cells that one campaign alone has"),
                     _alone(compared, words), found.alone, "")  # fmt: skip
    differing = _differing(compared, words)
    yield _shown(
        "differences", words("What differs between the campaigns"), differing,
        pd.DataFrame(differing.rows, columns=["what", *SIDES]),
        words("All else that is recorded of both is the same."),
    )  # fmt: skip


def _shown(name: str, title: str, grid: Grid, numbers: pd.DataFrame, note: str) -> Shown:
    return Shown(
        name=f"{FOLDER}/{name}", title=title, header=grid.header, rows=grid.rows, note=note,
        file=file_of(f"{FOLDER}/{name}", numbers), in_answer=name == "comparison",
    )  # fmt: skip


def _together(compared: Compared, words: Words) -> Grid:
    def row(one: Summary) -> tuple[str, ...]:
        number = words.number
        return (words(QUANTITIES[one.quantity].what), number(one.ratio, 4),
                ends_text(one.lower, one.upper, words), number(one.cells, 6),
                number(one.groups, 6), number(one.telling, 6), number(one.judged, 6),
                number(one.at_ceiling, 6))  # fmt: skip

    header = (
        words("quantity"), words("median ratio"), words("90 % interval"), words("cells"),
        words("independent sets"), words("cells that tell"), words("cells with an interval"),
        words("all that was offered in both"),
    )  # fmt: skip
    return Grid(header=header, rows=tuple(row(one) for one in compared.found.summaries))


def _cells(compared: Compared, rows: pd.DataFrame, words: Words) -> Grid:
    about = QUANTITIES[str(rows["quantity"].iloc[0])]
    header = (words("cell"), *(words(about.cell, name=name) for name in compared.names),
              words("ratio"), words("90 % interval"), words("loads of each"))  # fmt: skip
    return Grid(header=header, rows=tuple(
        (row["name"], words.number(row["first"], 4), words.number(row["second"], 4),
         words.number(row["ratio"], 4), ends_text(row["lower_ratio"], row["upper_ratio"], words),
         f"{row['first_loads']} / {row['second_loads']}")
        for _, row in rows.iterrows()
    ))  # fmt: skip


def _alone(compared: Compared, words: Words) -> Grid:
    rows = factored_cells(compared.found.alone)
    names = varying(rows, every_factor()) or ["datapath", "program"]
    called: dict[str, str] = dict(zip(SIDES, compared.names, strict=True))
    header = (words("campaign"), words("cell"), words("runs"))
    return Grid(header=header, rows=tuple(
        (called[str(row["side"])], condition(row, names, words), words.number(row["runs"], 6))
        for _, row in rows.iterrows()
    ))  # fmt: skip


def _differing(compared: Compared, words: Words) -> Grid:
    """Put facts of both campaigns side by side where they are not the same."""
    first, second = ({fact.name: fact.value for fact in facts_of(section, words)}
                     for section in compared.sections)  # fmt: skip
    rows = [(name, first.get(name, "-"), second.get(name, "-")) for name in first | second]
    return Grid(header=(words("what"), *compared.names),
                rows=tuple(row for row in rows if row[1] != row[2]))  # fmt: skip
