"""One table of a report in LaTeX, with rules as booktabs draws them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from linerate.reports.documents.columns import GAP_MM, Column, Columns, columns_of
from linerate.reports.documents.tex.escape import escaped
from linerate.reports.page.page import Shown, Verdict

ROWS_MAX = 28
"""A longer table goes over several pages."""


def table_tex(table: Shown, label: str, width_mm: float) -> str:
    r"""Write a table with caption and label, to be had by ``\input``.

    Parameters
    ----------
    table
        What is printed.
    label
        For references to it.
    width_mm
        Of the text of the page; columns have shares of it.
    """
    laid_out = columns_of(table, width_mm)
    head = [" & ".join(rf"\textbf{{{escaped(name)}}}" for name in table.header) + r" \\"]
    rows = [" & ".join(map(_cell, row)) + r" \\" for row in table.rows]
    caption = _caption(table, label)
    write = _over_pages if len(rows) > ROWS_MAX else _floating
    return "\n".join(write(laid_out, head, rows, caption)) + "\n"


def _floating(
    laid_out: Columns, head: Sequence[str], rows: Sequence[str], caption: str
) -> Iterator[str]:
    yield r"\begin{table}[htbp]"
    yield r"\centering"
    yield caption
    yield _letters(laid_out)
    yield rf"\begin{{tabular}}{{{_specification(laid_out)}}}"
    yield from (r"\toprule", *head, r"\midrule", *rows, r"\bottomrule")
    yield r"\end{tabular}"
    yield r"\end{table}"


def _over_pages(
    laid_out: Columns, head: Sequence[str], rows: Sequence[str], caption: str
) -> Iterator[str]:
    yield r"\begingroup" + _letters(laid_out)
    yield rf"\begin{{longtable}}{{{_specification(laid_out)}}}"
    yield caption + r" \\"
    yield from (r"\toprule", *head, r"\midrule", r"\endfirsthead")
    yield from (r"\toprule", *head, r"\midrule", r"\endhead")
    yield from (r"\bottomrule", r"\endfoot")
    yield from rows
    yield r"\end{longtable}"
    yield r"\endgroup"


def _letters(laid_out: Columns) -> str:
    """Set the size of letters, and half of the gap between columns."""
    size = laid_out.letters_pt
    return (rf"\fontsize{{{size:.1f}}}{{{1.2 * size:.1f}}}\selectfont"
            rf"\setlength{{\tabcolsep}}{{{GAP_MM / 2:g}mm}}")  # fmt: skip


def _specification(laid_out: Columns) -> str:
    """Write how columns are set, as ``@{}lr>{...}p{...}@{}``."""
    return "@{}" + "".join(map(_column, laid_out.columns)) + "@{}"


def _column(column: Column) -> str:
    if column.width_mm is None:
        return "r" if column.numbers else "l"
    side = r"\raggedleft" if column.numbers else r"\raggedright"
    return rf">{{{side}\arraybackslash}}p{{{column.width_mm:.1f}mm}}"


def _cell(cell: str | Verdict) -> str:
    if isinstance(cell, str):
        return escaped(cell)
    return rf"\textbf{{{escaped(cell.text)}}} {escaped(cell.detail)}"


def _caption(table: Shown, label: str) -> str:
    title = escaped(table.title)
    text = f"{title}. {escaped(table.note)}" if table.note else f"{title}."
    return rf"\caption[{title}]{{{text}}}\label{{{label}}}"
