"""What a report says, ready to be printed as a page, as a PDF or in TeX."""

from __future__ import annotations

from dataclasses import dataclass

from linerate.reports.page.answers import Tone
from linerate.reports.page.provenance import Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """One file of a report."""

    form: str
    """As it is named on the page, with the width where it is not the first: ``PDF 88mm``."""
    path: str
    """From the report's folder."""
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One figure of the page."""

    name: str
    """Path of its files without their ends, from the report's folder."""
    title: str
    caption: str
    files: tuple[Written, ...]
    """The picture of the page first."""

    @property
    def printed(self) -> Written:
        """The file that a document in print takes: lines where there are any."""
        return next((file for file in self.files if file.form == "PDF"), self.files[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Omitted:
    """One figure that could not be drawn."""

    title: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Answer for one path, queue count and frame size."""

    text: str
    detail: str
    tone: Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictGrid:
    """A table of verdicts with a header; names stand as texts."""

    header: tuple[str, ...]
    rows: tuple[tuple[str | Verdict, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One table, as a reader sees it."""

    name: str
    """Path of its CSV without its end, from the report's folder."""
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str | Verdict, ...], ...]
    note: str
    """What stands below it; empty for none."""
    file: Written
    """The numbers that it prints, whole."""
    in_answer: bool = False
    """Whether it stands with the answer, above the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionPage:
    """One machine's part of the page."""

    title: str
    anchor: str
    of_capacity: bool
    """Whether any run is of capacity."""
    answer: tuple[str, ...]
    formula: str
    tables: tuple[Shown, ...]
    figures: tuple[Drawn, ...]
    omitted: tuple[Omitted, ...]
    doubts: tuple[str, ...]
    """What of it to distrust."""
    facts: tuple[Fact, ...]
    notes: tuple[str, ...]
    explorer: str = ""
    """The fitted model as JSON, for the page's script; empty where it cannot be evaluated there."""
    explorer_note: str = ""
    """What the explorer of the page does not show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Headings:
    """What stands above the parts of a report, in its language."""

    answer: str
    unanswered: str
    """Stands for an answer of no sentences."""
    model: str
    figures: str
    tables: str
    omitted: str
    doubts: str
    provenance: str
    notes: str
    method: str
    commands: str
    explorer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """All that a report says, whatever it is printed as."""

    lang: str
    title: str
    """The question."""
    made: str
    """By what and when."""
    apart: str
    """Why there are several parts; empty for one."""
    parts: tuple[SectionPage, ...]
    method: tuple[str, ...]
    commands: tuple[str, ...]
    """That make it again."""
    headings: Headings
