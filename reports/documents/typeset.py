"""A report as one PDF, set by typst: its compiler comes with the Python package, and no TeX."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from linerate.errors import LinerateError
from linerate.files.outputs import write_whole
from linerate.reports.documents.columns import GAP_MM, columns_of
from linerate.reports.page.page import Contents, Drawn, Shown, Verdict

FILE = "report.pdf"
TEMPLATE = Path(__file__).with_name("templates") / "report.typ"


def write_pdf(contents: Contents, folder: Path, width_mm: float) -> Path:
    """Set the report and write it whole.

    Parameters
    ----------
    contents
        What the report says; all of it goes to the template as data, so no text of it is read as
        typst.
    folder
        Of the report, with the files of its figures.
    width_mm
        Of the text of the page.

    Raises
    ------
    LinerateError
        typst refuses it, or the folder cannot be written.
    """
    # Both are slow to load, and most reports' parts need neither.
    import matplotlib
    import typst

    more = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    fonts = typst.Fonts(include_system_fonts=False, font_paths=[more])
    compiler = typst.Compiler(
        TEMPLATE.read_bytes(), root=folder, font_paths=fonts, ignore_system_fonts=True,
        sys_inputs={"report": json.dumps(data_of(contents, width_mm))},
    )  # fmt: skip
    try:
        content = compiler.compile(format="pdf")
    except typst.TypstError as error:
        raise LinerateError(f"{FILE}: typst refuses it ({error}); the page is written; ask for "
                            "--documents html,tex until this is mended") from error  # fmt: skip
    write_whole(folder / FILE, cast("bytes", content))
    return folder / FILE


def data_of(contents: Contents, width_mm: float) -> dict[str, Any]:
    """Turn what a report says into plain values; files of figures stand by their paths."""
    return {
        "lang": contents.lang, "width_mm": width_mm, "title": contents.title,
        "made": contents.made, "apart": contents.apart, "method": contents.method,
        "commands": contents.commands, "headings": asdict(contents.headings),
        "parts": [
            {
                "title": part.title, "answer": part.answer, "formula": part.formula,
                "tables": [_table(table, width_mm) for table in part.tables],
                "figures": [_figure(figure) for figure in part.figures],
                "omitted": [asdict(one) for one in part.omitted],
                "doubts": part.doubts,
                "facts": [asdict(fact) for fact in part.facts], "notes": part.notes,
            }
            for part in contents.parts
        ],
    }  # fmt: skip


def _table(table: Shown, width_mm: float) -> dict[str, Any]:
    laid_out = columns_of(table, width_mm)
    return {
        "title": table.title, "note": table.note, "in_answer": table.in_answer,
        "columns": [asdict(column) for column in laid_out.columns],
        "letters_pt": laid_out.letters_pt, "gap_mm": GAP_MM, "header": table.header,
        "rows": [[asdict(cell) if isinstance(cell, Verdict) else cell for cell in row]
                 for row in table.rows],
    }  # fmt: skip


def _figure(figure: Drawn) -> dict[str, str]:
    return {"title": figure.title, "caption": figure.caption, "path": figure.printed.path}
