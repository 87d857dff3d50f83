"""Catalogues of words: a gettext file for each language but English, read at its first use."""

from __future__ import annotations

import gettext
import io
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "locale"
DOMAIN = "linerate"
SOURCE = "en"
"""The language that the code is written in: its messages are their own translation."""


def languages() -> tuple[str, ...]:
    """Codes of the languages that a report can be written in, English first."""
    found = sorted(path.parts[-3] for path in FOLDER.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))
    return (SOURCE, *found)


def catalogue_path(lang: str) -> Path:
    """Path of the catalogue of a language."""
    return FOLDER / lang / "LC_MESSAGES" / f"{DOMAIN}.po"


@cache
def translations(lang: str) -> gettext.NullTranslations:
    """Catalogue of a language, compiled in memory: so no compiled file can be out of date."""
    if lang == SOURCE:
        return gettext.NullTranslations()
    # Babel takes a moment to load, and English needs none of it.
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    with catalogue_path(lang).open("rb") as file:
        catalogue = read_po(file, locale=lang, abort_invalid=True)
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


@cache
def decimal_sign(lang: str) -> str:
    """Give the sign between a number's whole and its parts."""
    if lang == SOURCE:
        return "."
    from babel.numbers import get_decimal_symbol

    return get_decimal_symbol(lang)
