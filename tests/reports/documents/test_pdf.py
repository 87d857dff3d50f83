"""The PDF: set without TeX or network, every text in it, no figure cut."""

import io
from dataclasses import replace

import pytest
from pypdf import PdfReader

from linerate.errors import BadInputError
from linerate.reports.documents import documents_named
from linerate.reports.documents.typeset import data_of, write_pdf

from .conftest import HOSTILE, squeezed


@pytest.fixture(scope="module")
def hostile_pdf(hostile, picture, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pdf")
    (folder / "one.pdf").write_bytes(picture["pdf"])
    return PdfReader(io.BytesIO(write_pdf(hostile, folder, 160).read_bytes()))


def text_of(pdf):
    return "".join(page.extract_text() for page in pdf.pages)


def test_text_is_set_as_it_stands(hostile_pdf):
    text = squeezed(text_of(hostile_pdf))
    known = squeezed(HOSTILE.replace("漢", ""))  # of no font that comes along
    assert text.count(known) >= 8


def test_pages_are_numbered_and_a4(hostile_pdf):
    count = len(hostile_pdf.pages)
    assert count >= 2
    for number, page in enumerate(hostile_pdf.pages, start=1):
        assert f"{number}/{count}" in squeezed(page.extract_text())
        assert float(page.mediabox.width) == pytest.approx(595.3, abs=0.1)


def test_header_of_a_long_table_is_repeated(hostile_pdf):
    assert sum("headed" in page.extract_text() for page in hostile_pdf.pages) >= 2


def test_each_machine_begins_on_a_page_of_its_own(hostile, picture, tmp_path):
    (tmp_path / "one.pdf").write_bytes(picture["pdf"])
    parts = [replace(hostile.parts[0], title=name, tables=()) for name in ("box-one", "box-two")]
    pdf = PdfReader(write_pdf(replace(hostile, parts=tuple(parts)), tmp_path, 160))
    pages = [squeezed(page.extract_text()) for page in pdf.pages]
    assert any(page.startswith("box-two") for page in pages)


def test_fonts_are_inside(hostile_pdf):
    fonts = {
        font["/BaseFont"]
        for page in hostile_pdf.pages
        for font in (one.get_object() for one in page["/Resources"]["/Font"].values())
    }
    assert any("Libertinus" in name for name in fonts)
    assert all("+" in name for name in fonts)  # a subset of a font that is embedded


def test_figures_are_lines_and_not_dots(paper):
    pdf = PdfReader(paper.folder / "report.pdf")
    assert sum(len(page.images) for page in pdf.pages) == 0
    assert (paper.folder / "report.pdf").stat().st_size < 500_000


def test_data_names_the_files_of_figures(hostile):
    (part,) = data_of(hostile, 160)["parts"]
    assert [figure["path"] for figure in part["figures"]] == ["one.pdf"]


def test_unknown_documents_are_refused():
    with pytest.raises(BadInputError, match=r"documents=docx: .* allowed: html, pdf, tex"):
        documents_named("docx,pdf")
    with pytest.raises(BadInputError):
        documents_named("")
