"""The words and numbers of a report, in the reader's language."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from linerate.errors import bad_input
from linerate.reports import (
    portuguese,
    portuguese_page,
    portuguese_studies,
    portuguese_tables,
)

Language = Literal["en", "pt"]
LANGUAGES: tuple[Language, ...] = ("en", "pt")
PORTUGUESE = {
    **portuguese.AXES, **portuguese.KEYS, **portuguese.TITLES, **portuguese.CAPTIONS,
    **portuguese.LEFT_OUT, **portuguese.ANSWERS, **portuguese_page.PAGE, **portuguese_page.FACTS,
    **portuguese_studies.STUDIES, **portuguese_tables.TABLES,
}  # fmt: skip
"""Message in English -> in Portuguese."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Says a message of the code, which is in English, in one language.

    >>> Words(lang="pt")("{n} queues", n=2)
    '2 filas'
    """

    lang: Language = "en"

    def __call__(self, message: str, **values: object) -> str:
        """Translate a message and fill its gaps; KeyError if the catalogue lacks it."""
        spoken = PORTUGUESE[message] if self.lang == "pt" else message
        return spoken.format(**values) if values else spoken

    def number(self, value: float, digits: int = 3) -> str:
        """Print a number to so many significant digits, without exponent where it can be.

        >>> Words(lang="pt").number(1.4567), Words().number(12800.0), Words().number(0.0)
        ('1,46', '12800', '0')
        """
        if not math.isfinite(value):
            return "-" if math.isnan(value) else "∞"
        whole = abs(value) >= 10 ** (digits - 1)
        text = f"{value:.0f}" if whole else f"{value:.{digits}g}"
        return text.replace(".", ",") if self.lang == "pt" else text

    def about(self, value: float) -> str:
        """Print a number to two digits, whatever its size.

        >>> Words().about(1437.0)
        '1400'
        """
        return self.number(float(f"{value:.2g}"))

    def queues(self, count: int) -> str:
        """Count queues."""
        return self("1 queue") if count == 1 else self("{n} queues", n=count)

    def several(self, names: list[str]) -> str:
        """Join names with commas, and the last by "and".

        >>> Words().several(["a", "b", "c"])
        'a, b and c'
        """
        if len(names) < 2:
            return "".join(names)
        return self("{first} and {last}", first=", ".join(names[:-1]), last=names[-1])


def words_in(lang: str) -> Words:
    """Words of a language by its name.

    Raises
    ------
    BadInputError
        No such language.
    """
    for known in LANGUAGES:
        if lang == known:
            return Words(lang=known)
    raise bad_input("lang", lang, why="no catalogue of messages for it",
                    allowed=", ".join(LANGUAGES), do="use one of these")  # fmt: skip
