"""What a report says, in its reader's language: messages, numbers, names."""

from __future__ import annotations

from linerate.reports.language.catalogue import languages
from linerate.reports.language.words import Words, message, words_in

__all__ = ["Words", "languages", "message", "words_in"]
