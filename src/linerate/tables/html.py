"""HTML that a notebook shows: text and small tables, everything in them escaped."""

from __future__ import annotations

from html import escape

import pandas as pd


def html_text(text: str) -> str:
    """Show lines of text as they stand.

    >>> html_text("a < b")
    '<pre style="white-space: pre-wrap">a &lt; b</pre>'
    """
    return f'<pre style="white-space: pre-wrap">{escape(text)}</pre>'


def html_table(table: pd.DataFrame, *, index: bool = False) -> str:
    """Show a table; four significant digits are enough to read."""
    return str(table.to_html(index=index, border=0, float_format="{:.4g}".format, na_rep=""))
