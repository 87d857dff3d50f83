"""Filling the templates of pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import jinja2

from linerate.reports.language import Words
from linerate.reports.page.page import SectionPage

FOLDER = Path(__file__).with_name("templates")


def page_html(
    sections: Sequence[SectionPage], words: Words, *, commands: Sequence[str], made: str
) -> str:
    """Fill the template; every text is escaped."""
    template = environment(escape=True).get_template("report.html.j2")
    return template.render(sections=sections, say=words, lang=words.lang, commands=commands,
                           made=made)  # fmt: skip


def environment(*, escape: bool) -> jinja2.Environment:
    """Where the templates of pages are found, and how their texts are put in."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER), autoescape=escape,
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
