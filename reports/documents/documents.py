"""The documents that a report is printed as, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from linerate.errors import bad_input
from linerate.reports.documents import tex, typeset
from linerate.reports.page.page import Contents
from linerate.reports.page.pictures import Drawing

PAGE = "html"
"""Is always written."""
_WRITE: dict[str, Callable[[Contents, Path, float], Path]] = {
    "pdf": typeset.write_pdf, "tex": tex.write_project,
}  # fmt: skip
DOCUMENTS = (PAGE, *_WRITE)
DEFAULT_DOCUMENTS = DOCUMENTS
TEXT_MM = 180
"""Width of a page's text, unless figures were drawn for that of a thesis."""
THESIS_MM = 160


def documents_named(text: str) -> tuple[str, ...]:
    """Read documents off the words of a command.

    >>> documents_named("tex")
    ('html', 'tex')

    Raises
    ------
    BadInputError
        A report is not written so.
    """
    named = tuple(filter(None, text.split(",")))
    strange = [name for name in named if name not in DOCUMENTS]
    if strange or not named:
        raise bad_input("documents", ",".join(strange), why="no report is written so",
                        allowed=", ".join(DOCUMENTS), do="name some of these")  # fmt: skip
    return tuple(name for name in DOCUMENTS if name in (PAGE, *named))


def write_documents(
    contents: Contents, folder: Path, drawing: Drawing, documents: Sequence[str]
) -> tuple[Path, ...]:
    """Write what was asked for beside the page, whose figures are there.

    Returns
    -------
    Path of each, in order of ``DOCUMENTS``.

    Raises
    ------
    LinerateError
        The folder cannot be written, or the disk is full.
    """
    width_mm = THESIS_MM if drawing.widths_mm[0] == THESIS_MM else TEXT_MM
    return tuple(
        write(contents, folder, width_mm) for name, write in _WRITE.items() if name in documents
    )
