"""A picture of a validation as files: the figure, and the table of what it draws."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from linerate.errors import bad_input
from linerate.files.outputs import write_whole
from linerate.reports.drawing.panels import Panels
from linerate.reports.page.files import csv_of, rendered

FORMS = ("png", "pdf")


def check_picture(path: Path) -> None:
    """Refuse a name that is not a picture's, before anything is computed.

    Raises
    ------
    BadInputError
        Another suffix, or no such folder.
    """
    if path.suffix.removeprefix(".") not in FORMS or not path.parent.is_dir():
        raise bad_input("figure", path, why="it cannot be drawn there",
                        allowed="a .png or .pdf file in a folder that exists",
                        do="name such a file")  # fmt: skip


def write_files(
    path: Path, drawn: Panels, table: pd.DataFrame, texts: Mapping[str, str]
) -> tuple[Path, Path]:
    """Write the picture with its title and caption, and beside it the CSV; return both paths."""
    dated = {**texts, "caption": f"{texts['caption']} {datetime.now(UTC):%Y-%m-%d}."}
    write_whole(path, rendered(drawn.whole, path.suffix[1:], dated))
    write_whole(path.with_suffix(".csv"), csv_of(table))
    return path, path.with_suffix(".csv")
