"""The picture of a validation as files: the figure, and the table of what it draws."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from linerate.errors import bad_input
from linerate.files.outputs import write_whole
from linerate.models.validation.validation import Validation
from linerate.reports.figures.validations import validations
from linerate.reports.files import csv_of, rendered
from linerate.reports.tables.validations import validations_table
from linerate.reports.words import Words

FORMS = ("png", "pdf")


def check_picture(path: Path) -> None:
    """Refuse a name that is no picture's, before anything is computed.

    Raises
    ------
    BadInputError
        Another suffix, or no such folder.
    """
    if path.suffix.removeprefix(".") not in FORMS or not path.parent.is_dir():
        raise bad_input("figure", path, why="it cannot be drawn there",
                        allowed="a .png or .pdf file in a folder that exists",
                        do="name such a file")  # fmt: skip


def write_picture(path: Path, found: Sequence[Validation], box: str) -> tuple[Path, Path]:
    """Write the picture, and beside it the CSV of what is drawn; return both paths."""
    table = validations_table(found)
    said = {
        "title": "Errors on runs that the models had not seen",
        "caption": (
            f"Box {box}; {len(table)} held-out cells of {table['model'].nunique()} models, each "
            "against the median of its runs; left the first model, right the share of cells with "
            f"at most an error; {datetime.now(UTC):%Y-%m-%d}."
        ),
    }
    write_whole(path, rendered(validations(table, Words()), path.suffix[1:], said))
    write_whole(path.with_suffix(".csv"), csv_of(table))
    return path, path.with_suffix(".csv")
