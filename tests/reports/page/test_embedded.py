"""Files inside a page: those of numbers first, and never more than the page may hold."""

from dataclasses import replace

import pytest

from linerate.reports import words_in
from linerate.reports.page import template
from linerate.reports.page.contents import contents_of
from linerate.reports.page.embedded import embedded_files
from linerate.reports.page.page import Drawn, SectionPage, Written
from linerate.reports.page.template import page_html


@pytest.fixture
def contents():
    files = tuple(
        Written(form=form, path=f"one.{form.lower().replace(' ', '-')}", content=content)
        for form, content in (("PNG", b"p" * 900), ("PDF", b"%" * 3000), ("PDF 88mm", b"%" * 2000),
                              ("CSV", b"1,2\n" * 500))
    )  # fmt: skip
    part = SectionPage(title="t", anchor="a", of_capacity=False, answer=(), formula="", tables=(),
                       figures=(Drawn(name="one", title="t", caption="c", files=files),),
                       omitted=(), doubts=(), facts=(), notes=())  # fmt: skip
    return contents_of([part], words_in("en"), commands=[], made="now")


def test_all_go_in_where_there_is_room(contents):
    found, everything = embedded_files(contents, 100_000)
    assert list(found) == ["one.csv", "one.pdf", "one.pdf-88mm"]
    assert everything


def test_numbers_go_in_first(contents):
    found, everything = embedded_files(contents, 1000)
    assert list(found) == ["one.csv"]
    assert not everything


def test_page_is_never_larger_than_it_may_be(contents, monkeypatch):
    bare = len(page_html(replace(contents, parts=()), words_in("en")).encode())
    for most in (bare + 3000, bare + 6000):
        monkeypatch.setattr(template, "PAGE_BYTES_MAX", most)
        html = page_html(contents, words_in("en"))
        assert len(html.encode()) <= most
        assert "too large to be in this page" in html


def test_the_same_contents_make_the_same_page(contents):
    assert page_html(contents, words_in("en")) == page_html(contents, words_in("en"))
