"""Reports: tables of what is drawn, figures, and a page that begins with the answer."""

from __future__ import annotations

from linerate.reports.figures import FIGURES, FigureKind
from linerate.reports.report import Report, Writer
from linerate.reports.sections import Section, fit_section, sections_of
from linerate.reports.sources import Source, read_source
from linerate.reports.tables import LeftOut
from linerate.reports.words import LANGUAGES, Words, words_in

__all__ = [
    "FIGURES",
    "LANGUAGES",
    "FigureKind",
    "LeftOut",
    "Report",
    "Section",
    "Source",
    "Words",
    "Writer",
    "fit_section",
    "read_source",
    "sections_of",
    "words_in",
]
