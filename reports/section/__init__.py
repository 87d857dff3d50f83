"""One machine's part of a report: what was read of it, and what the models make of it."""

from __future__ import annotations

from linerate.reports.section.fit import fit_section, fitted_section, sections_of
from linerate.reports.section.section import Section
from linerate.reports.section.source import Source, read_source

__all__ = ["Section", "Source", "fit_section", "fitted_section", "read_source", "sections_of"]
