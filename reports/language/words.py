"""The words and numbers of a report, in the reader's language."""

from __future__ import annotations

import math
from dataclasses import dataclass

from linerate.errors import bad_input
from linerate.messages import Note, counted, message
from linerate.reports.language.catalogue import SOURCE, decimal_sign, languages, translations

__all__ = ("Words", "counted", "message", "words_in")


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Says the messages of the code, which are in English, in one language.

    >>> Words(lang="pt")("{n} Mpps, {limit}", n=2, limit="x")
    '2 Mpps, x'
    """

    lang: str = SOURCE
    """Code of a language that has a catalogue, as ``words_in`` checks."""

    def __call__(self, text: str, **values: object) -> str:
        """Translate a message and fill its gaps; in English where the catalogue lacks it."""
        translated = translations(self.lang).gettext(text) if text else text
        return translated.format(**values) if values else translated

    def note(self, text: str) -> str:
        """Translate a note with those in its gaps; what is no ``Note`` stays as it is."""
        if not isinstance(text, Note):
            return text
        return self(text.message, **{k: self._worded(value) for k, value in text.values.items()})

    def _worded(self, value: object) -> object:
        """Translate what stands in a gap: a note, or notes one behind the other."""
        if isinstance(value, tuple):
            return "; ".join(map(self.note, value))
        return self.note(value) if isinstance(value, str) else value

    def plural(
        self, one: str, many: str, n: float, *, digits: int = 3, **values: object
    ) -> str:  # fmt: skip
        """Translate a message that counts something, in the form for this number.

        >>> words = Words(lang="pt")
        >>> [words.plural("{n} queue", "{n} queues", n) for n in (1, 2)]
        ['1 fila', '2 filas']
        """
        # Half a thing takes the plural.
        whole = int(n) if float(n).is_integer() else 2
        translated = translations(self.lang).ngettext(one, many, whole)
        return translated.format(n=self.number(n, digits), **values)

    def number(self, value: float, digits: int = 3) -> str:
        """Print a number to so many significant digits, without exponent where it can be.

        >>> Words(lang="pt").number(1.4567), Words().number(12800.0), Words().number(0.0)
        ('1,46', '12800', '0')
        """
        if not math.isfinite(value):
            return "-" if math.isnan(value) else "∞"
        whole = abs(value) >= 10 ** (digits - 1)
        text = f"{value:.0f}" if whole else f"{value:.{digits}g}"
        return text.replace(".", decimal_sign(self.lang))

    def about(self, value: float) -> str:
        """Print a number to two digits, whatever its size.

        >>> Words().about(1437.0)
        '1400'
        """
        return self.number(float(f"{value:.2g}"))

    def queues(self, count: int) -> str:
        """Count queues."""
        return self.plural("{n} queue", "{n} queues", count)


def words_in(lang: str) -> Words:
    """Words of a language by its code.

    Raises
    ------
    BadInputError
        No such language.
    """
    known = languages()
    if lang in known:
        return Words(lang=lang)
    raise bad_input("lang", lang, why="no catalogue of messages for it",
                    allowed=", ".join(known), do="use one of these")  # fmt: skip
