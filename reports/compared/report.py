"""The report of a comparison: the same page, PDF and LaTeX as any other, of one part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from linerate.files.outputs import write_whole
from linerate.reports.compared.answer import doubts, sentences
from linerate.reports.compared.compared import Compared
from linerate.reports.compared.figure import figures_of
from linerate.reports.compared.tables import tables_of
from linerate.reports.language import Words
from linerate.reports.page.files import make_folder
from linerate.reports.page.page import Contents, Drawn, SectionPage
from linerate.reports.page.provenance import Fact, facts_of
from linerate.reports.page.report import Report, Writer, WrittenSection, files_of
from linerate.reports.page.tables import FOLDER


def write_comparison(writer: Writer, compared: Compared) -> Report:
    """Write the folder of a report about two campaigns.

    Raises
    ------
    LinerateError
        The folder cannot be written, or the disk is full.
    """
    make_folder(writer.folder / FOLDER)
    part = _part(writer, compared)
    for file in (*(table.file for table in part.tables),
                 *(file for figure in part.figures for file in figure.files)):  # fmt: skip
        write_whole(writer.folder / file.path, file.content)
    contents = _titled(writer.contents([part]), compared, writer.words)
    return writer.put(contents, [WrittenSection(
        box=part.title, model=None, answer=part.answer, left_out=(),
        figures=tuple(figure.name for figure in part.figures), figure_files=files_of(part.figures),
    )])  # fmt: skip


def _part(writer: Writer, compared: Compared) -> SectionPage:
    words = writer.words
    return SectionPage(
        title=words("{second} against {first}", first=compared.names[0],
                    second=compared.names[1]),
        anchor="box-1", of_capacity=False, answer=tuple(sentences(compared, words)), formula="",
        tables=tuple(tables_of(compared, words)), figures=tuple(_figures(writer, compared)),
        omitted=(), doubts=tuple(doubts(compared, words)), facts=tuple(_facts(compared, words)),
        notes=tuple(map(words.note, (
            *compared.found.notes, *(each for one in compared.sections for each in one.notes)))),
    )  # fmt: skip


def _figures(writer: Writer, compared: Compared) -> Iterator[Drawn]:
    for found in writer.figures([*figures_of(compared, writer.words)], compared.both, ""):
        if isinstance(found, Drawn):
            yield found


def _facts(compared: Compared, words: Words) -> Iterator[Fact]:
    """List what both campaigns have alike; a table has what differs."""
    first, second = (facts_of(section, words) for section in compared.sections)
    yield from (fact for fact in first if fact in second)


def _titled(contents: Contents, compared: Compared, words: Words) -> Contents:
    """Ask the question of a comparison, and say how it is answered."""
    first, second = compared.names
    return replace(
        contents, title=words("Is {second} as fast as {first}?", first=first, second=second),
        method=(
            *contents.method,
            words("Cells are paired by all that a campaign asks for, whatever machine, kernel or "
                  "build it ran on."),
            words("Intervals ask of program loads only that both campaigns' are alike but for a "
                  "factor; of 100 cells without a difference about 10 leave out 1 by chance."),
        ),
    )  # fmt: skip
