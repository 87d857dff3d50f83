"""From fitted sections to a folder with a page, and each figure as PNG, PDF and CSV."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from linerate.files.outputs import write_whole
from linerate.reports.documents import write_documents
from linerate.reports.explorer import explorer_of
from linerate.reports.figures import FIGURES, FigureKind
from linerate.reports.figures.captions import caption
from linerate.reports.figures.registry import figure_named
from linerate.reports.language import Words
from linerate.reports.language.names import printable
from linerate.reports.page import capacity, rate_page
from linerate.reports.page.contents import contents_of
from linerate.reports.page.doubts import doubts
from linerate.reports.page.files import csv_of, load_drawing, make_folder
from linerate.reports.page.page import Contents, Drawn, Omitted, SectionPage, Written
from linerate.reports.page.pictures import Drawing, Files, Pictures
from linerate.reports.page.provenance import facts_of
from linerate.reports.page.tables import FOLDER as TABLES
from linerate.reports.page.tables import tables_of
from linerate.reports.page.template import page_html
from linerate.reports.section import Section
from linerate.reports.section.garbage import seldom_collected
from linerate.reports.section.shared import shared, workers
from linerate.reports.tables import LeftOut


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSection:
    """What was written of one machine."""

    box: str
    model: str | None
    """Name of the model that was fitted; None where none could be."""
    answer: tuple[str, ...]
    figures: tuple[str, ...]
    """Paths of the figures without suffix, from the report's folder."""
    left_out: tuple[Omitted, ...]
    figure_files: tuple[tuple[tuple[str, str], ...], ...] = ()
    """Of each figure its files: pairs of form, with the width where it is not the first, and
    path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A report on disk."""

    path: Path
    """The page."""
    sections: tuple[WrittenSection, ...]
    documents: tuple[Path, ...] = ()
    """Those written beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """Where and how the files of a report are written."""

    folder: Path
    words: Words
    command: str
    """That makes the report again."""
    measured_by: Sequence[str] = ()
    """Commands that measured what it is of."""
    drawing: Drawing = field(default_factory=Drawing)
    """How figures are drawn."""
    documents: Sequence[str] = ()
    """What is written beside the page, of ``DOCUMENTS``."""
    progress: Callable[[], None] = lambda: None
    """Called before each figure that this process draws, in each width."""

    @seldom_collected()
    def write(self, sections: Sequence[Section]) -> Report:
        """Draw every figure of every section, the page last.

        Raises
        ------
        LinerateError
            The folder cannot be written, or the disk is full.
        """
        make_folder(self.folder)
        pages, written = [], []
        for number, section in enumerate(sections, start=1):
            prefix = f"{number}-{slug(section.box_name)}/" if len(sections) > 1 else ""
            one = self._section(section, prefix, number)
            pages.append(one)
            written.append(_written(section, one))
        return self.put(self.contents(pages), written)

    def contents(self, pages: Sequence[SectionPage]) -> Contents:
        """Put parts under one title, with the commands that make the report again."""
        made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
        commands = [*self.measured_by, self.command]
        return contents_of(pages, self.words, commands=commands, made=made)

    def put(self, contents: Contents, written: Sequence[WrittenSection]) -> Report:
        """Write the page and the documents beside it, once the figures' files are there."""
        path = self.folder / "report.html"
        write_whole(path, page_html(contents, self.words).encode())
        beside = write_documents(contents, self.folder, self.drawing, self.documents)
        return Report(path=path, documents=beside, sections=tuple(written))

    def _section(self, section: Section, prefix: str, number: int) -> SectionPage:
        drawn: list[Drawn] = []
        omitted: list[Omitted] = []
        if prefix:
            make_folder(self.folder / prefix)
        studies, words = set(section.studies), self.words
        wanted = [figure_named(name, FIGURES) for name in self.drawing.only] or FIGURES
        kinds = [kind for kind in wanted if not studies.isdisjoint(kind.studies)]
        load_drawing()
        for one in self.figures(kinds, section, prefix):
            if isinstance(one, Omitted):
                omitted.append(one)
                continue
            drawn.append(one)
            for file in one.files:
                write_whole(self.folder / file.path, file.content)
        tables = tuple(tables_of(section, words, prefix))
        if tables:
            make_folder(self.folder / prefix / TABLES)
        for table in tables:
            write_whole(self.folder / table.file.path, table.file.content)
        if "pipelines" in studies:
            rates = rate_page.rate_page(section, tables, words)
            write_whole(self.folder / f"{prefix}{rate_page.FILE}", rates.encode())
        model = explorer_of(section, words)
        return SectionPage(
            title=titled(section), anchor=f"box-{number}", of_capacity="capacity" in studies,
            answer=capacity.answer_sentences(section, words),
            formula=capacity.formula_text(section, words), tables=tables, figures=tuple(drawn),
            omitted=tuple(omitted), doubts=tuple(doubts(section, words)),
            facts=facts_of(section, words), notes=tuple(map(words.note, section.notes)),
            explorer=model.data, explorer_note=model.note,
        )  # fmt: skip

    def figures(
        self, kinds: Sequence[FigureKind], section: Section, prefix: str
    ) -> list[Drawn | Omitted]:  # fmt: skip
        """Draw figures in each width and form, on every CPU; nothing is written.

        Tables first, then each width by itself, the widest ones of all figures before the others:
        none of these parts is so large that the other CPUs wait for it at the end.
        """
        tables = shared(lambda kind: self._tabled(kind, section), kinds, workers())
        drawn = [
            Pictures(kind=kind, section=section, table=one.table, words=self.words, texts=one.texts)
            for kind, one in zip(kinds, tables, strict=True) if not isinstance(one, LeftOut)
        ]  # fmt: skip
        places = range(len(self.drawing.pages))
        parts = [(pictures, place) for place in places for pictures in drawn]
        files = shared(self._files_of, parts, workers(), self.progress)
        every = iter([(one, files[number :: len(drawn)]) for number, one in enumerate(drawn)])
        return [
            Omitted(title=self.words(kind.title), why=self.words(one.why))
            if isinstance(one, LeftOut) else _drawn(*next(every), one.csv, prefix)
            for kind, one in zip(kinds, tables, strict=True)
        ]  # fmt: skip

    def _tabled(self, kind: FigureKind, section: Section) -> _Tabled | LeftOut:
        """Take what a figure draws and says; or why nothing is drawn."""
        table = kind.table(section)
        if isinstance(table, LeftOut):
            return table
        texts = {"title": self.words(kind.title),
                 "caption": caption(kind, section, table, self.words, self.command)}  # fmt: skip
        return _Tabled(table=table, csv=csv_of(table), texts=texts)

    def _files_of(self, part: tuple[Pictures, int]) -> Files:
        pictures, place = part
        return pictures.files_of(place, self.drawing.pages[place], self.drawing.forms)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Tabled:
    """What a figure draws."""

    table: pd.DataFrame
    csv: bytes
    texts: dict[str, str]
    """Its title and caption."""


def _drawn(pictures: Pictures, files: Sequence[Files], csv: bytes, prefix: str) -> Drawn:
    """Name the files of a figure."""
    name = f"{prefix}{pictures.kind.name}"
    written = [
        Written(form=f"{form.upper()}{end.replace('-', ' ')}", path=f"{name}{end}.{form}",
                content=content)
        for own in (*files, {("csv", ""): csv}) for (form, end), content in own.items()
    ]  # fmt: skip
    return Drawn(name=name, title=pictures.texts["title"], caption=pictures.texts["caption"],
                 files=tuple(written))  # fmt: skip


def _written(section: Section, shown: SectionPage) -> WrittenSection:
    return WrittenSection(
        box=section.box_name,
        model=section.predictor.model.name if section.predictor is not None else None,
        answer=shown.answer, left_out=shown.omitted,
        figures=tuple(figure.name for figure in shown.figures),
        figure_files=files_of(shown.figures),
    )  # fmt: skip


def files_of(figures: Sequence[Drawn]) -> tuple[tuple[tuple[str, str], ...], ...]:
    """List the files of figures: pairs of form, with the width, and path."""
    return tuple(
        tuple((file.form.lower().replace(" ", "-"), file.path) for file in figure.files)
        for figure in figures
    )


def titled(section: Section) -> str:
    """Name a part after its box, and after its hash: the same box may have changed its kernel."""
    runs = section.searches if section.runs.empty and section.searches is not None else section.runs
    hashes = runs["box_hash"].dropna().unique() if "box_hash" in runs.columns else ()
    return " ".join([printable(section.box_name), *(f"({printable(str(one))})" for one in hashes)])


def slug(name: str) -> str:
    """Name a folder after a box, whatever characters it has.

    >>> slug("../T440 (10G)")
    't440-10g'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "box"
