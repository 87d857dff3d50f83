"""Filling the templates of pages."""

from __future__ import annotations

import base64
from pathlib import Path

import jinja2

from linerate.reports.language import Words
from linerate.reports.page.page import Contents

FOLDER = Path(__file__).with_name("templates")


def page_html(contents: Contents, words: Words) -> str:
    """Fill the template; every text is escaped."""
    filled = environment(escape=True)
    filled.filters |= {"base64": lambda content: base64.b64encode(content).decode()}
    template = filled.get_template("report.html.j2")
    return template.render(contents=contents, say=words)


def environment(*, escape: bool) -> jinja2.Environment:
    """Where the templates of pages are found, and how their texts are put in."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER), autoescape=escape,
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
