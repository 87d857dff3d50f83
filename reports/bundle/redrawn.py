"""A report made again from the runs of its bundle, and what of it differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from linerate.models import MODELS
from linerate.models.fitting import AUTO
from linerate.models.validation.choice import model_named
from linerate.reports import Writer, read_source, sections_of, words_in
from linerate.reports.bundle.alike import alike
from linerate.reports.bundle.asked import Asked
from linerate.reports.page.files import FORMS
from linerate.reports.section.by_split import FIGURE as BY_SPLIT

OF_FIGURES = (*(f".{form}" for form in FORMS), ".csv")
"""Suffixes of what must be drawn by the report that the bundle says it has."""
UNCOMPARED = ("report.pdf", "tex/")
"""Documents that are set from the page and the figures by programs that say when."""


def redrawn(campaign: Path, asked: Asked) -> dict[str, bytes]:
    """Make the files of a report again, but for the documents in print.

    Parameters
    ----------
    campaign
        Folder of the campaign.
    asked
        What the report was asked for.

    Raises
    ------
    BadInputError
        No report is made so.
    """
    if asked.kind != AUTO:
        model_named(asked.kind, MODELS)
    source = read_source(asked.table_in(campaign))
    splits = asked.drawing.draws(BY_SPLIT)
    with TemporaryDirectory(prefix="linerate-") as place:
        folder = Path(place)
        Writer(
            folder=folder, words=words_in(asked.drawing.lang), command=asked.command,
            drawing=asked.drawing, measured_by=[source.measured_by] if source.measured_by else [],
        ).write(sections_of([source], asked.kind, splits=splits))  # fmt: skip
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()
        }  # fmt: skip


def differing(kept: Mapping[str, bytes], made: Mapping[str, bytes]) -> Iterator[str]:
    """Name the files that are not what was made again, that are missing, and that nothing makes.

    Parameters
    ----------
    kept
        Content of each file of the report in the bundle, by its path from there.
    made
        Of the one made again.
    """
    for name in sorted(made.keys() | kept.keys()):
        if name not in made:
            if is_compared(name):
                yield f"{name} (this report has none)"
        elif name not in kept:
            yield f"{name} (missing)"
        elif not alike(kept[name], made[name]):
            yield name


def is_compared(name: str) -> bool:
    """Whether a file is one that must be made again to be believed."""
    return not name.startswith(UNCOMPARED) and PurePosixPath(name).suffix in OF_FIGURES
