"""How wide the columns of a table in print are, from what stands in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from linerate.reports.page.page import Shown, Verdict

LETTERS_PT = 8.0
"""Size of a table's letters; smaller where even its longest words are too wide."""
LETTERS_PT_MIN = 5.5
LETTER_MM = 1.55
"""Width of a letter of 8 pt, on average, rather too wide."""
GAP_MM = 3.0
"""Between two columns."""
WORD = re.compile(r"[^\s_/]+[_/]?")
"""What is never broken."""
NUMBER = re.compile(r"[-+]?[\d.,]+( / [\d.,]+)?|-|∞|")
"""What stands to the right: a number, median and mean, nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a table in print."""

    numbers: bool
    """Whether it holds nothing else: then it ends at the right."""
    width_mm: float | None
    """None for as wide as what it holds, which is never broken then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The columns of a table in print."""

    columns: tuple[Column, ...]
    letters_pt: float


def columns_of(table: Shown, width_mm: float) -> Columns:
    """Part the width among the columns: where all fit as they are, none is broken.

    Parameters
    ----------
    table
        What is printed.
    width_mm
        Of the text.
    """
    texts = [_texts(table, place) for place in range(len(table.header))]
    numbers = [all(map(NUMBER.fullmatch, column[1:])) for column in texts]
    gaps = GAP_MM * len(texts)
    whole = sum(LETTER_MM * max(map(len, column)) for column in texts)
    least = [LETTER_MM * max(map(_longest_word, column)) for column in texts]
    most = [max(LETTER_MM * max(map(len, cells), default=1), low)
            for (_, *cells), low in zip(texts, least, strict=True)]  # fmt: skip
    scale = min(1.0, max((width_mm - gaps) / sum(least), LETTERS_PT_MIN / LETTERS_PT))
    widths: Sequence[float | None] = [None] * len(texts)
    if whole + gaps > width_mm:
        widths = _between([scale * width for width in least], [scale * width for width in most],
                          width_mm - gaps)  # fmt: skip
    return Columns(
        columns=tuple(Column(numbers=one, width_mm=width)
                      for one, width in zip(numbers, widths, strict=True)),
        letters_pt=scale * LETTERS_PT,
    )  # fmt: skip


def _between(least: Sequence[float], most: Sequence[float], total: float) -> list[float]:
    """Give each column its least, and of what is left as much as its longest cell wants more.

    >>> _between([1.0, 1.0], [1.0, 5.0], 4.0)
    [1.0, 3.0]
    """
    left = max(total - sum(least), 0.0)
    wanted = sum(most) - sum(least)
    share = min(left / wanted, 1.0) if wanted > 0 else 0.0
    return [low + share * (high - low) for low, high in zip(least, most, strict=True)]


def _texts(table: Shown, place: int) -> list[str]:
    """Header and cells of a column; of a verdict its text with its detail."""
    cells = [row[place] for row in table.rows]
    return [table.header[place], *(
        f"{cell.text} {cell.detail}" if isinstance(cell, Verdict) else cell for cell in cells
    )]  # fmt: skip


def _longest_word(text: str) -> int:
    """Count the letters that cannot be parted; one at least.

    >>> _longest_word("drop_udp_subnet, XDP native")
    7
    """
    return max(map(len, WORD.findall(text)), default=1)
