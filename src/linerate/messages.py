"""Marks of texts that a report shows: catalogues of other languages are made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self


class Note(str):
    """A sentence in English that a report can say in another language: it keeps what it is made of.

    >>> Note("{n} rows left out: {why}", {"n": 2, "why": "no rate"})
    '2 rows left out: no rate'
    """

    message: str
    values: Mapping[str, object]

    def __new__(cls, text: str, values: Mapping[str, object] | None = None) -> Self:
        """Fill the gaps of a message; several texts stand one behind the other."""
        shown = {name: "; ".join(value) if isinstance(value, tuple) else value
                 for name, value in values.items()} if values else {}  # fmt: skip
        made = super().__new__(cls, text.format(**shown) if shown else text)
        made.message, made.values = text, values or {}
        return made


def note(text: str, **values: object) -> Note:
    """Mark a sentence that a report may show, and fill its gaps; a value may be a note, or some."""
    return Note(text, values)


def message(text: str) -> str:
    """Mark a text that is translated where it is shown.

    >>> message("Throughput (Mpps)")
    'Throughput (Mpps)'
    """
    return text


def counted(one: str, many: str) -> tuple[str, str]:
    """Mark a message that counts something, in both of its forms."""
    return one, many
