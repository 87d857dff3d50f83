"""Chains of service functions, as Castanho (2019) compares them."""

from __future__ import annotations

from collections.abc import Iterator

from linerate.reports.figures.chains import rtt
from linerate.reports.language import Words
from linerate.reports.section import Section
from linerate.reports.studies.study import StudyKind
from linerate.reports.tables import LeftOut


def answer(section: Section, words: Words) -> Iterator[str]:
    """Say what each function adds to a round trip."""
    table = rtt.table(section)
    if not isinstance(table, LeftOut):
        for slope in rtt.slopes_of(table, words):
            yield words("Round trip through a chain, {slope}", slope=slope)


STUDY = StudyKind(name="chains", answer=answer)
