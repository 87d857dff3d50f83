"""The page about figures lists every figure and every colour."""

from pathlib import Path

from linerate.reports.drawing.colours import AMOUNTS, CONDITIONS, GREY, INK, PATHS, SURE
from linerate.reports.drawing.page import STYLES, WIDTHS_MM
from linerate.reports.figures import FIGURES
from linerate.reports.page.files import FORMS

PAGE = (Path(__file__).parents[3] / "docs/figures.md").read_text()


def test_every_figure_is_named():
    assert [kind.name for kind in FIGURES if f"`{kind.name}`" not in PAGE] == []


def test_every_colour_is_in_the_table():
    every = [*PATHS.values(), *AMOUNTS, *CONDITIONS, *SURE, INK, GREY]
    assert [colour for colour in every if f"`{colour}`" not in PAGE] == []


def test_every_width_style_and_form_is_named():
    asked = [*(f"{width}mm" for width in WIDTHS_MM), *STYLES, *FORMS]
    assert [word for word in asked if f"`{word}`" not in PAGE] == []
