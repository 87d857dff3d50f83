"""What the searches of measured campaigns answer: ``lr.answers``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from linerate.errors import bad_input
from linerate.reports.section.searched import read_searches
from linerate.tables.html import html_table, html_text
from linerate.tables.search_answers import SearchAnswer, answers_of, answers_table

COLUMNS_SHOWN = (
    "datapath", "program", "goal", "median_mpps", "smallest_mpps", "largest_mpps", "cv_ratio",
    "loads", "searches", "limited_by",
)  # fmt: skip
"""Columns that a notebook shows of the table."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """What was found of each cell and goal, over all program loads that were searched."""

    answers: tuple[SearchAnswer, ...]
    """Each prints as a sentence and has its numbers."""
    table: pd.DataFrame
    """The same as columns of data/README.md."""

    def __len__(self) -> int:
        return len(self.answers)

    def __str__(self) -> str:
        return "\n".join(map(str, self.answers))

    def __repr__(self) -> str:
        return f"<Answers: {len(self)} of {self.table['datapath'].nunique()} datapaths>"

    def _repr_html_(self) -> str:
        return html_text(str(self)) + html_table(self.table[list(COLUMNS_SHOWN)])


def answers(*folders: str | os.PathLike[str]) -> Answers:
    """Say what the searches of measured campaigns found, over their program loads.

    Parameters
    ----------
    *folders
        Folders that ``measure`` made of campaigns with searches.

    Raises
    ------
    BadInputError
        No folder, or one without a table of searches that can be read.

    Examples
    --------
    >>> found = answers("data/reference-izolan")
    >>> round(found.answers[0].median_mpps, 1), found.answers[0].steady
    (15.8, False)
    """
    if not folders:
        raise bad_input("folders", "", why="nothing is named", allowed="one folder or several",
                        do="name the folder of a campaign that searched")  # fmt: skip
    found = pd.concat([_searches(Path(folder)) for folder in folders], ignore_index=True)
    return Answers(answers=answers_of(found), table=answers_table(found))


def _searches(folder: Path) -> pd.DataFrame:
    table, notes = read_searches(folder)
    if table is None:
        raise bad_input(
            "folder", folder, why=notes[0] if notes else "no search was finished there",
            allowed="the folder of a campaign with [[searches]]", do="name one, or measure it: "
            "linerate measure data/campaigns/search-quick.toml --out FOLDER",
        )  # fmt: skip
    return table
