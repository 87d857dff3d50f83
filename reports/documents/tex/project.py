"""A folder that LaTeX sets as it lies there: a document, its figures, captions and tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import jinja2

from linerate.files.outputs import write_whole
from linerate.reports.documents.tex.escape import code, escaped
from linerate.reports.documents.tex.table import table_tex
from linerate.reports.page.files import make_folder
from linerate.reports.page.page import Contents, Drawn, Shown, Written

FOLDER = "tex"
TEMPLATES = Path(__file__).parent.with_name("templates")
BABEL = {"en": "english", "pt": "brazilian"}
IN_PRINT = ("PDF", "PGF")
"""Forms of figures that LaTeX takes, in every width."""


class Raw(str):
    """Text that is written for LaTeX already."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Included:
    """Where a figure or table of the document is, from ``main.tex``."""

    label: Raw
    path: Raw
    caption: Raw
    """Of a figure; that of a table is inside."""


def write_project(contents: Contents, folder: Path, width_mm: float) -> Path:
    """Write the folder ``tex``.

    Parameters
    ----------
    contents
        What the report says.
    folder
        Of the report.
    width_mm
        Of the text of the page: figures stand in it as wide as they were drawn.

    Returns
    -------
    Path of ``main.tex``.
    """
    inside = folder / FOLDER
    texts = {"main.tex": main_tex(contents, width_mm)}
    binaries: dict[str, bytes] = {}
    for part in contents.parts:
        for table in part.tables:
            found = included_table(table)
            texts[found.path] = table_tex(table, found.label, width_mm)
        for figure in part.figures:
            found = included_figure(figure)
            texts[found.caption] = _figure_caption(figure, found.label)
            binaries |= {f"figures/{file.path}": file.content for file in _in_print(figure)}
    files = {name: text.encode() for name, text in texts.items()} | binaries
    for parent in sorted({(inside / name).parent for name in files}):
        make_folder(parent)
    for name, content in files.items():
        write_whole(inside / name, content)
    return inside / "main.tex"


def main_tex(contents: Contents, width_mm: float) -> str:
    """Fill the template of the document."""
    filled = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, autoescape=False, block_start_string="<%",
        block_end_string="%>", variable_start_string="<<", variable_end_string=">>",
        comment_start_string="<#", comment_end_string="#>", finalize=_finished,
    )  # fmt: skip
    filled.filters |= {"code": lambda text: Raw(code(text)), "figure": included_figure,
                       "table": included_table}  # fmt: skip
    return filled.get_template("main.tex.j2").render(
        contents=contents, babel=Raw(BABEL[contents.lang]), width=f"{width_mm:g}",
    )  # fmt: skip


def included_figure(figure: Drawn) -> Included:
    """Name the files and the label of a figure."""
    return Included(
        label=Raw(f"fig:{figure.name.replace('/', ':')}"),
        path=Raw(f"figures/{figure.printed.path}"), caption=Raw(f"captions/{figure.name}.tex"),
    )  # fmt: skip


def included_table(table: Shown) -> Included:
    """Name the file and the label of a table."""
    path = PurePosixPath(table.name)
    name = (path.parent.parent / path.name).as_posix()
    return Included(label=Raw(f"tab:{name.replace('/', ':')}"), path=Raw(f"tables/{name}.tex"),
                    caption=Raw(""))  # fmt: skip


def _in_print(figure: Drawn) -> Iterator[Written]:
    """Take what LaTeX may include: of no PDF, the picture of the page."""
    yield figure.printed
    for file in figure.files:
        if file is not figure.printed and file.form.startswith(IN_PRINT):
            yield file


def _figure_caption(figure: Drawn, label: str) -> str:
    title = escaped(figure.title)
    return f"\\caption[{title}]{{{escaped(figure.caption)}}}\n\\label{{{label}}}\n"


def _finished(value: object) -> str:
    """Escape what is put into the template, unless it is written for LaTeX."""
    return value if isinstance(value, Raw) else escaped(str(value))
