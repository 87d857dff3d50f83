"""Writing a report's files: each whole, or not there."""

from __future__ import annotations

import io
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from linerate.errors import LinerateError, bad_input
from linerate.files.outputs import write_whole
from linerate.reports.drawing.fonts import glyphs_alone
from linerate.reports.drawing.frame import Frame
from linerate.reports.drawing.pgf import pgf_of
from linerate.reports.drawing.style import saving

if TYPE_CHECKING:
    from matplotlib.figure import Figure


FORMS = ("png", "pdf", "svg", "pgf")
DEFAULT_FORMS = ("png", "pdf")
METADATA = {
    "png": {"title": "Title", "caption": "Description"},
    "pdf": {"title": "Title", "caption": "Subject"},
    "svg": {"title": "Title", "caption": "Description"},
}
UNDATED: dict[str, dict[str, None]] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}


def make_folder(folder: Path) -> None:
    """Make the folder of a report before anything is computed.

    Raises
    ------
    BadInputError
        There is a file of that name.
    LinerateError
        It cannot be made, or nothing can be written in it.
    """
    if folder.exists() and not folder.is_dir():
        raise bad_input("out", folder, why="it is not a folder", allowed="a folder, new or not",
                        do="name another path")  # fmt: skip
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LinerateError(f"out={folder}: it cannot be made ({error.strerror}); name a folder "
                            "that you may write to") from error  # fmt: skip
    trial = folder / ".linerate-trial"
    write_whole(trial, b"")
    trial.unlink()


def rendered(
    figure: Figure, form: str, texts: Mapping[str, str], frame: Frame | None = None
) -> bytes:
    """Bytes of a figure in one of ``FORMS``, with a title and caption inside; ``pgf`` has none.

    Nothing in them depends on when they were made: the same table gives the same file.
    """
    if form == "pgf":
        with saving():
            return pgf_of(figure, frame or Frame()).encode()
    metadata: dict[str, str | None] = {METADATA[form][what]: text for what, text in texts.items()}
    metadata |= UNDATED.get(form, {})
    into = io.BytesIO()
    with saving(), glyphs_alone():
        figure.savefig(into, format=form, metadata=metadata,
                       bbox_inches=frame.box_of(figure) if frame else None)  # fmt: skip
    return into.getvalue()


def load_drawing() -> None:
    """Load what draws the usual forms, once for all processes that are forked from here on."""
    for name in ("matplotlib.figure", "matplotlib.backends.backend_agg",
                 "matplotlib.backends.backend_pdf", "fontTools.subset"):  # fmt: skip
        import_module(name)


def csv_of(table: pd.DataFrame) -> bytes:
    """Bytes of a table as CSV; numbers read back exactly."""
    return table.to_csv(index=False).encode()
