"""The page about figures lists every figure and every colour."""

import re
from pathlib import Path

from linerate.reports.drawing.colours import AMOUNTS, CONDITIONS, GREY, INK, PATHS, SURE
from linerate.reports.drawing.page import STYLES, WIDTHS_MM
from linerate.reports.figures import FIGURES
from linerate.reports.page.files import FORMS

ROOT = Path(__file__).parents[3]
PAGE, DATA = (ROOT / "docs/figures.md").read_text(), ROOT / "data"


def test_every_figure_is_named():
    assert [kind.name for kind in FIGURES if f"`{kind.name}`" not in PAGE] == []


def test_every_colour_is_in_the_table():
    every = [*PATHS.values(), *AMOUNTS, *CONDITIONS, *SURE, INK, GREY]
    assert [colour for colour in every if f"`{colour}`" not in PAGE] == []


def test_every_width_style_and_form_is_named():
    asked = [*(f"{width}mm" for width in WIDTHS_MM), *STYLES, *FORMS]
    assert [word for word in asked if f"`{word}`" not in PAGE] == []


def test_figures_of_the_studies_are_there_with_their_campaigns():
    rows = PAGE.split("## What the studies drew")[1].split("##")[0].splitlines()
    cells = [row.split("|") for row in rows if row.startswith("|") and "`" in row]
    named = {name for row in cells for name in re.findall(r"`([^`]+)`", row[3])}
    campaigns = {name for row in cells for name in re.findall(r"`([^`]+)`", row[4])}
    assert len(named) > 10
    assert named <= {kind.name for kind in FIGURES}
    assert [name for name in campaigns if not (DATA / name / "runs.csv").is_file()] == []
