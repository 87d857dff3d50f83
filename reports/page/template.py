"""Filling the templates of pages."""

from __future__ import annotations

import hashlib
from pathlib import Path

import jinja2
from markupsafe import Markup

from linerate.reports.explorer import SCRIPTS as EXPLORER
from linerate.reports.language import Words
from linerate.reports.language.catalogue import decimal_sign
from linerate.reports.page.embedded import PAGE_BYTES_MAX, embedded_files, in_base64
from linerate.reports.page.page import Contents

FOLDER = Path(__file__).with_name("templates")
SCRIPTS = (FOLDER / "report.js", *EXPLORER)
"""One script of the page: what all pages do, and its explorer."""


def page_html(contents: Contents, words: Words) -> str:
    """Fill the template; every text is escaped, and no script runs but the page's own."""
    filled = environment(escape=True)
    filled.filters |= {"base64": in_base64}
    template = filled.get_template("report.html.j2")
    style = (FOLDER / "report.css").read_text()
    script = "\n".join(path.read_text() for path in SCRIPTS)
    given = {"contents": contents, "say": words, "decimal": decimal_sign(words.lang),
             "style": Markup(style), "script": Markup(script),
             "style_hash": hash_of(style), "script_hash": hash_of(script)}  # fmt: skip
    bare = template.render(**given, files={}, not_inside=True)
    files, all_inside = embedded_files(contents, PAGE_BYTES_MAX - len(bare.encode()))
    return template.render(**given, files=files, not_inside=not all_inside)


def hash_of(text: str) -> str:
    """Hash a script or style as a page's policy names it (CSP level 3, section 2.3.1).

    >>> hash_of("")
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return f"sha256-{in_base64(hashlib.sha256(text.encode()).digest())}"


def environment(*, escape: bool) -> jinja2.Environment:
    """Where the templates of pages are found, and how their texts are put in."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER), autoescape=escape,
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
