"""Fonts that a PDF carries: the glyphs that it shows, and nothing that sets text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

SETTING_TABLES = ("GSUB", "GPOS", "GDEF", "kern")
"""OpenType's ligatures and kerning, which whoever sets a line asks. A PDF says where each glyph
stands; reading these tables is two thirds of what it takes to embed a font."""


@contextmanager
def glyphs_alone() -> Iterator[None]:
    """Leave the tables that set text out of the fonts of the PDFs written inside."""
    # Matplotlib asks fontTools for a part of a font, and has no setting for what it holds.
    options: Any = import_module("fontTools.subset").Options
    usual = options._drop_tables_default
    options._drop_tables_default = [*usual, *SETTING_TABLES]
    try:
        yield
    finally:
        options._drop_tables_default = usual
