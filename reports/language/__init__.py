"""What a reader is told, in his language: messages, numbers, and names of what was measured."""

from __future__ import annotations

from linerate.reports.language.catalogue import languages
from linerate.reports.language.words import Words, message, words_in

__all__ = ["Words", "languages", "message", "words_in"]
