"""Marks of texts that a report shows: catalogues of other languages are made of them."""

from __future__ import annotations


def message(text: str) -> str:
    """Mark a text that is translated where it is shown.

    >>> message("Throughput (Mpps)")
    'Throughput (Mpps)'
    """
    return text


def counted(one: str, many: str) -> tuple[str, str]:
    """Mark a message that counts something, in both of its forms."""
    return one, many
