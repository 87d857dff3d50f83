"""Figures for a page: their width, their height, what they are framed by, and their forms."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from linerate.errors import BadInputError
from linerate.reports import Words, figure_named
from linerate.reports.drawing.axes import accesses_axis, announced, log_axis
from linerate.reports.drawing.direct import apart
from linerate.reports.drawing.dots import rows_fit
from linerate.reports.drawing.frame import framed
from linerate.reports.drawing.keys import key_entry
from linerate.reports.drawing.page import Page, on_page, page
from linerate.reports.drawing.panels import Layout, key_columns, panels
from linerate.reports.drawing.style import styled
from linerate.reports.figures import FIGURES
from linerate.reports.page.files import rendered
from linerate.reports.page.pictures import Drawing, Pictures, drawing_named

TEXTS = {"title": "t", "caption": "c"}


def table_of(kind, section):
    table = kind.table(section)
    assert isinstance(table, pd.DataFrame), table
    return table


def one_panel(width_mm, rows=1):
    with on_page(Page(width_mm=width_mm)), styled():
        return panels(Layout(rows=rows, columns=1))


@pytest.mark.parametrize("width_mm", [88, 160, 180])
def test_a_figure_is_as_wide_as_its_column(width_mm):
    assert one_panel(width_mm).whole.get_figwidth() * 25.4 == pytest.approx(width_mm)


def test_no_figure_is_higher_than_a_page():
    grid = one_panel(88, rows=40)
    grid.grow(50.0)
    assert grid.whole.get_figheight() * 25.4 == pytest.approx(220.0)


def test_a_page_has_room_for_some_rows_of_names_and_not_for_any_number():
    assert rows_fit(["a program"] * 30, 1)
    assert not rows_fit(["a program"] * 150, 1)


def test_pages_are_left_as_they_were():
    with pytest.raises(ZeroDivisionError), on_page(Page(width_mm=88)):
        assert page().narrow
        raise ZeroDivisionError
    assert not page().narrow


def test_a_key_takes_as_many_columns_as_fit():
    names = ["a", "b", "a name that is rather long", "c"]
    with on_page(Page(width_mm=88)):
        assert key_columns([key_entry(name) for name in names]) == 3
        assert key_columns([key_entry(name * 20) for name in names]) == 1


def test_symlog_is_announced_and_log_is_not():
    axes = one_panel(88).axes[0, 0]
    accesses_axis(axes, [0, 100, 800], Words())
    assert announced("Accesses", axes, "x", Words()) == "Accesses, log scale from 100 on"
    log_axis(axes, "y", Words())
    assert announced("Rate", axes, "y", Words()) == "Rate"


@pytest.mark.parametrize(("ends", "least"), [((7.0, 14.0), 4), ((1.1, 4.9), 2), ((1.0, 250.0), 8)])
def test_a_log_axis_has_two_numbers_at_least(ends, least):
    axes = Figure().subplots()
    axes.set_xlim(*ends)
    log_axis(axes, "x", Words())
    drawn = [tick for tick in axes.get_xticks() if ends[0] <= tick <= ends[1]]
    assert len(drawn) >= least
    assert len(drawn) < 10


def test_names_beside_lines_keep_apart_and_in_order():
    shares = apart([0.5, 0.5, 0.52, 0.99, 1.0], gap=0.1)
    assert min(np.diff(shares)) >= 0.1 - 1e-9
    assert shares[0] >= 0.0
    assert shares[-1] <= 1.0


def test_pgf_is_written_where_no_tex_is(monkeypatch):
    monkeypatch.setenv("PATH", "")
    grid = one_panel(88)
    grid.axes[0, 0].plot([1, 2], [1, 2])
    grid.label("50 % of a_b", "")
    text = rendered(grid.whole, "pgf", TEXTS).decode()
    assert r"\pgfqpoint{3.464567in}" in text
    assert "50 % of a" in text
    assert text.count(r"\begin{pgfscope}") == text.count(r"\end{pgfscope}")
    assert text.rstrip().endswith(r"\endgroup")


def test_the_same_figure_gives_the_same_svg():
    files = set()
    for _ in range(2):
        grid = one_panel(88)
        grid.axes[0, 0].plot([1, 2], [1, 2])
        files.add(rendered(grid.whole, "svg", TEXTS))
    assert len(files) == 1


def test_a_framed_picture_is_higher_and_as_wide():
    grid = one_panel(160)
    frame = framed(grid.whole, "A title", "Fonte: x.")
    box = frame.box_of(grid.whole)
    assert box.width * 25.4 == pytest.approx(160)
    assert box.y0 < 0.0
    assert box.y1 > grid.whole.get_figheight()


def test_a_frame_leaves_the_key_inside_the_figure():
    with on_page(Page(width_mm=160, style="abnt")), styled():
        grid = panels(Layout(rows=1, columns=1))
        grid.axes[0, 0].plot([1, 2], [1, 2])
        grid.key([key_entry("one"), key_entry("two")])
        frame = framed(grid.whole, "A title", "Fonte: x.")
    key = grid.whole.legends[0]
    before = key.get_window_extent().y1 / grid.whole.get_dpi()
    with styled():
        rendered(grid.whole, "png", TEXTS, frame)
    assert before <= grid.whole.get_figheight()
    assert key.get_window_extent().y1 / grid.whole.get_dpi() == pytest.approx(before)


def test_abnt_says_title_and_source_in_portuguese(section):
    kind = figure_named("queue-scaling", FIGURES)
    drawing = drawing_named((), "abnt", "svg", None)
    words = Words(lang=drawing.lang)
    pictures = Pictures(kind=kind, section=section, table=table_of(kind, section), words=words,
                        texts={"title": words(kind.title), "caption": ""})  # fmt: skip
    assert "Fonte: medições próprias em planted-box" in pictures._source()
    assert drawing.widths_mm == (160,)


def test_files_of_the_second_width_are_named_after_it(section):
    kind = figure_named("queue-scaling", FIGURES)
    pictures = Pictures(kind=kind, section=section, table=table_of(kind, section), words=Words(),
                        texts=TEXTS)  # fmt: skip
    pages = Drawing(widths_mm=(180, 88)).pages
    assert set(pictures.files(pages, ("pgf",))) == {("png", ""), ("pgf", ""), ("pgf", "-88mm")}


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ((("90mm",), "plain", "png", None), "width=90mm"),
        (((), "springer", "png", None), "style=springer"),
        (((), "plain", "png,eps", None), "forms=eps"),
        (((), "plain", ",", None), "forms=:"),
        (((), "abnt", "png", "en"), "lang=en"),
        (((), "plain", "png", "fr"), "lang=fr"),
    ],
)
def test_what_cannot_be_drawn_is_refused(asked, named):
    with pytest.raises(BadInputError) as refused:
        drawing_named(*asked)
    assert str(refused.value).startswith(named)


def test_the_command_names_what_is_not_usual():
    drawn = drawing_named(("88mm",), "ieee", "svg,png", None)
    assert drawn.options == ["--style", "ieee", "--width", "88mm", "--forms", "svg,png"]
    assert drawing_named((), "abnt", "png,pdf", None).options == ["--style", "abnt"]
    assert drawing_named((), "plain", "png,pdf", "pt").options == ["--lang", "pt"]
