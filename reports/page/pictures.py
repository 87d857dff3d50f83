"""One figure as files: for each page that it is drawn for, in each form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import pandas as pd

from linerate.errors import bad_input
from linerate.reports.drawing.frame import framed
from linerate.reports.drawing.page import (
    DEFAULT_WIDTHS_MM,
    STYLES,
    WIDTHS_MM,
    Page,
    Style,
    on_page,
)
from linerate.reports.drawing.pgf import can_be_pgf
from linerate.reports.drawing.style import lay_out, styled
from linerate.reports.figures import FIGURES
from linerate.reports.figures.captions import dates_of
from linerate.reports.figures.figure import FigureKind
from linerate.reports.figures.registry import figure_named
from linerate.reports.language import Words, words_in
from linerate.reports.language.catalogue import SOURCE
from linerate.reports.page.files import DEFAULT_FORMS, FORMS, rendered
from linerate.reports.section import Section
from linerate.reports.tables.behind import runs_behind

LANG = {"abnt": "pt"}
"""Styles of one language."""
Files = dict[tuple[str, str], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """How the figures of a report are drawn."""

    lang: str = SOURCE
    """Code of the language of page and figures."""
    style: Style = "plain"
    widths_mm: tuple[int, ...] = (180,)
    """Of what each figure is drawn for; the first one stands in the page."""
    forms: tuple[str, ...] = DEFAULT_FORMS
    """Of ``FORMS``, of each figure in each width; a PNG of the first stands in the page."""
    only: tuple[str, ...] = ()
    """Names of the figures that are drawn; without any all that have rows."""

    def __post_init__(self) -> None:
        strange = [form for form in self.forms if form not in FORMS]
        if strange or not self.forms:
            raise bad_input("forms", ",".join(strange), why="no figure is written so",
                            allowed=", ".join(FORMS), do="name some of these")  # fmt: skip
        only = LANG.get(self.style, self.lang)
        if self.lang != only:
            raise bad_input("lang", self.lang, why=f"the style {self.style} is of another language",
                            allowed=only, do="leave --lang out, or take another style")  # fmt: skip

    @property
    def pages(self) -> tuple[Page, ...]:
        """A page for each width."""
        return tuple(Page(width_mm=width, style=self.style) for width in self.widths_mm)

    def draws(self, name: str) -> bool:
        """Whether a figure of this name is among those that are drawn."""
        return not self.only or name in self.only

    @property
    def options(self) -> list[str]:
        """Words of the command that asks for it; none for what is usual."""
        lang = [] if self.lang == LANG.get(self.style, SOURCE) else ["--lang", self.lang]
        style = [] if self.style == "plain" else ["--style", self.style]
        usual = self.widths_mm == DEFAULT_WIDTHS_MM[self.style]
        widths = [] if usual else [word for width in self.widths_mm
                                   for word in ("--width", f"{width}mm")]  # fmt: skip
        forms = [] if self.forms == DEFAULT_FORMS else ["--forms", ",".join(self.forms)]
        only = [word for name in self.only for word in ("--only", name)]
        return [*lang, *style, *widths, *forms, *only]


def drawing_named(
    widths: Sequence[str], style: str, forms: str, lang: str | None, only: Sequence[str] = ()
) -> Drawing:  # fmt: skip
    """Read a drawing off the words of a command.

    Raises
    ------
    BadInputError
        No such width, style, form, language or figure, or a style of another language.
    """
    if style not in STYLES:
        Page(style=cast("Style", style))
    named = cast("Style", style)
    drawn = Drawing(
        lang=words_in(LANG.get(style, SOURCE) if lang is None else lang).lang, style=named,
        widths_mm=tuple(dict.fromkeys(map(width_named, widths))) or DEFAULT_WIDTHS_MM[named],
        forms=tuple(dict.fromkeys(filter(None, forms.split(",")))),
        only=tuple(figure_named(name, FIGURES).name for name in dict.fromkeys(only)),
    )  # fmt: skip
    return drawn


def width_named(text: str) -> int:
    """Read a width in mm.

    >>> width_named("88mm"), width_named("160")
    (88, 160)
    """
    number = text.removesuffix("mm")
    known = int(number) if number.isascii() and number.isdigit() and len(number) < 6 else -1
    if known not in WIDTHS_MM:
        raise bad_input("width", text, why="figures are drawn for the columns of a page",
                        allowed=", ".join(f"{width}mm" for width in WIDTHS_MM),
                        do="take the next wider one and scale it")  # fmt: skip
    return known


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pictures:
    """What is drawn, and its words."""

    kind: FigureKind
    section: Section
    table: pd.DataFrame
    words: Words
    texts: Mapping[str, str]
    """Title and caption."""

    def files(self, pages: Sequence[Page], forms: Sequence[str]) -> Files:
        """Contents by form and by what the file's name ends in: nothing for the first page."""
        return {name: content for place, drawn_for in enumerate(pages)
                for name, content in self.files_of(place, drawn_for, forms).items()}  # fmt: skip

    def files_of(self, place: int, drawn_for: Page, forms: Sequence[str]) -> Files:
        """Contents for one page, the place-th of all that it is drawn for."""
        end = f"-{drawn_for.width_mm}mm" if place else ""
        # A column of two is for print: no second PNG, unless nothing else is asked for.
        printed = [form for form in forms if form != "png"] or forms
        own = printed if place else dict.fromkeys(("png", *forms))
        return {
            (form, end): content for form, content in self._drawn(drawn_for, tuple(own)).items()
        }

    def _drawn(self, drawn_for: Page, forms: Sequence[str]) -> dict[str, bytes]:
        with on_page(drawn_for):
            figure, frame = self.kind.draw(self.table, self.words).whole, None
            with styled():
                lay_out(figure)
                if drawn_for.framed:
                    frame = framed(figure, self.texts["title"], self._source())
            own = [form for form in forms if form != "pgf" or can_be_pgf(figure)]
            return {form: rendered(figure, form, self.texts, frame) for form in own}

    def _source(self) -> str:
        """Where the numbers come from, as it stands below a figure."""
        behind = runs_behind(self.table, self.section, self.kind.studies)
        dates = dates_of(behind, self.words)
        return self.words("Source: own measurements on {box}, {dates}.",
                          box=self.section.box_name, dates=dates)  # fmt: skip
