"""Fonts of a PDF have the glyphs that it shows, and no tables that set text."""

import io
from typing import Any

import pypdf
from fontTools.subset import Options
from fontTools.ttLib import TTFont

from linerate.reports.drawing.page import Page, on_page
from linerate.reports.drawing.panels import Layout, panels
from linerate.reports.drawing.style import lay_out, styled
from linerate.reports.page.files import rendered


def figure_with(text):
    with on_page(Page(width_mm=88)), styled():
        grid = panels(Layout(rows=1, columns=1))
        grid.axes[0, 0].set_title(text)
    return grid.whole


def test_a_font_brings_its_glyphs_and_no_table_that_sets_text():
    usual = list(Options()._drop_tables_default)
    pdf = rendered(figure_with("AVATAR"), "pdf", {})
    page: Any = pypdf.PdfReader(io.BytesIO(pdf)).pages[0]
    assert "AVATAR" in page.extract_text()
    for font in page["/Resources"]["/Font"].values():
        file = font["/DescendantFonts"][0]["/FontDescriptor"]["/FontFile2"].get_data()
        assert not {"GSUB", "GPOS", "GDEF", "kern"} & set(TTFont(io.BytesIO(file)).keys())
    assert usual == Options()._drop_tables_default


def test_a_figure_is_laid_out_once_and_saved_as_it_stands():
    figure = figure_with("laid out")
    with styled():
        lay_out(figure)
    place = figure.axes[0].get_position().bounds
    assert place != figure_with("laid out").axes[0].get_position().bounds
    for form in ("png", "pdf", "svg"):
        rendered(figure, form, {})
    assert figure.axes[0].get_position().bounds == place
