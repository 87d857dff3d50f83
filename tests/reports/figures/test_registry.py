"""A figure is one new file, and draws where it is told to."""

import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from tests.worked import worked_example

import linerate.reports.figures as package
from linerate.errors import BadInputError
from linerate.reports import FIGURES, Words, Writer, figure_named
from linerate.reports.figures import figures_in
from linerate.reports.figures.plot import plot
from linerate.reports.page import report

NAME = "runs-by-path"


@pytest.fixture
def with_toy(tmp_path, monkeypatch):
    """Figures of a package that has one more file."""
    (tmp_path / "runs_by_path.py").write_text(worked_example("A figure"))
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    return figures_in(package.__path__, package.__name__)


@pytest.fixture
def axes():
    figure, grid = plt.subplots(1, 2)
    yield grid
    plt.close(figure)


def test_a_new_file_is_a_new_figure(with_toy):
    assert [kind.name for kind in with_toy if kind not in FIGURES] == [NAME]
    assert len(with_toy) == len(FIGURES) + 1
    assert with_toy[1].name == NAME


@pytest.mark.usefixtures("unrendered")
def test_a_report_holds_the_new_figure(with_toy, section, monkeypatch, tmp_path):
    monkeypatch.setattr(report, "FIGURES", (figure_named(NAME, with_toy),))
    written = Writer(folder=tmp_path, words=Words(lang="pt"), command="c").write([section])
    assert written.sections[0].figures == (NAME,)
    assert "Bars: runs of each path." in written.path.read_text()


def test_one_panel_is_drawn_in_the_axes_that_are_given(with_toy, section, axes):
    drawn = plot(figure_named(NAME, with_toy), section, axes[0])
    assert drawn is axes[0]
    assert (axes[0].get_xlabel(), axes[0].get_ylabel()) == ("path", "runs")
    assert not axes[1].has_data()


def test_several_panels_take_the_place_of_the_axes_that_are_given(section, axes):
    figure = axes[0].figure
    drawn = plot(figure_named("throughput-by-accesses", FIGURES), section, axes[0])
    assert isinstance(drawn, np.ndarray)
    assert drawn.shape == (2, 2)
    assert axes[0] not in figure.axes
    assert all(one.figure.figure is figure for one in drawn.flat)


def test_a_figure_of_its_own_is_made_where_no_axes_are_given(studies):
    drawn = plot(figure_named("search-bounds", FIGURES), studies)
    assert isinstance(drawn, Axes)
    assert drawn.has_data()


def test_axes_without_a_place_hold_no_several_panels(section):
    figure = plt.figure()
    with pytest.raises(BadInputError, match=r"ax=.*the figure has 4 panels; allowed: .*subplots"):
        plot(
            figure_named("throughput-by-accesses", FIGURES), section, figure.add_axes((0, 0, 1, 1))
        )
    plt.close(figure)


def test_what_these_runs_lack_is_said(section):
    with pytest.raises(BadInputError, match="figure=filters-rate: no run of a filter"):
        plot(figure_named("filters-rate", FIGURES), section)


def test_an_unknown_figure_is_refused_with_the_known_ones():
    with pytest.raises(BadInputError, match="figure=pie: there is no such figure; allowed: line-"):
        figure_named("pie", FIGURES)


def test_listing_the_figures_loads_no_matplotlib():

    code = (
        "import sys, linerate.reports as r; sys.exit('matplotlib' in sys.modules or not r.FIGURES)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
