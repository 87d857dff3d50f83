"""A model's card as a page of Markdown."""

from __future__ import annotations

import math

from linerate.models.file.card import ModelCard
from linerate.models.intervals.domain import Range
from linerate.models.operations.validation import QUESTIONS
from linerate.reports.page.template import environment


def card_page(card: ModelCard) -> str:
    """Fill the template."""
    # Markdown is read as text: names of programs are kept from breaking its tables instead.
    filled = environment(escape=False)
    filled.filters |= {"cell": cell, "interval": interval, "span": span_text,
                       "question": QUESTIONS.get}  # fmt: skip
    return filled.get_template("model_card.md.j2").render(card=card)


def cell(text: object) -> str:
    r"""Keep a text inside one cell of a table.

    >>> print(cell("a|b\nc"))
    a\|b c
    """
    return " ".join(str(text).split()).replace("|", "\\|")


def interval(ends: tuple[float, float]) -> str:
    """Print the ends of an interval.

    >>> interval((1.0, 2.5))
    '1 to 2.5'
    >>> interval((-math.inf, math.inf))
    'not known'
    """
    low, high = ends
    return f"{low:.4g} to {high:.4g}" if math.isfinite(low + high) else "not known"


def span_text(values: Range) -> str:
    """Print the range of a factor.

    >>> span_text(Range(low=1.0, high=1.0))
    '1'
    """
    return f"{values.low:g}" + (f" to {values.high:g}" if values.high != values.low else "")
