"""Reports: tables of what is drawn, figures, and a page that begins with the answer."""

from __future__ import annotations

from linerate.reports.figures import FIGURES, FigureKind, figure_named
from linerate.reports.language import Words, languages, words_in
from linerate.reports.page.report import Report, Writer
from linerate.reports.section import Section, Source, fit_section, read_source, sections_of
from linerate.reports.studies import STUDY_KINDS
from linerate.reports.tables import LeftOut

__all__ = [
    "FIGURES",
    "STUDY_KINDS",
    "FigureKind",
    "LeftOut",
    "Report",
    "Section",
    "Source",
    "Words",
    "Writer",
    "figure_named",
    "fit_section",
    "languages",
    "read_source",
    "sections_of",
    "words_in",
]
