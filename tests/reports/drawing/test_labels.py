"""Names at the ends of lines instead of a key, and Gbit/s beside Mpps."""

import pandas as pd
import pytest

from linerate.reports import Words
from linerate.reports.drawing.axes import log_axis
from linerate.reports.drawing.gigabits import gigabits_axis
from linerate.reports.drawing.keys import key_mark, key_measured
from linerate.reports.drawing.marks import bars, line
from linerate.reports.drawing.page import Page, on_page
from linerate.reports.drawing.panels import Layout, panels
from linerate.reports.drawing.style import colour, marker, styled


def drawn(ends_mpps, *, joined=True, columns=1, width_mm=180):
    """A figure of lines that end so, in each of its panels, with its key."""
    with on_page(Page(width_mm=width_mm)), styled():
        grid = panels(Layout(rows=1, columns=columns))
        for axes in grid.axes.flat:
            for index, mpps in enumerate(ends_mpps):
                rows = pd.DataFrame({"x": [1.0, 2.0], "y": [1.0, mpps], "min_y": [1.0, mpps],
                                     "max_y": [1.0, mpps]})  # fmt: skip
                if joined:
                    line(axes, rows, "x", "y", color=colour(index))
                bars(axes, rows, "x", "y", color=colour(index), marker=marker(index))
            axes.set_ylim(0.0, 10.0)
        names = [f"{mpps:g} end" for mpps in ends_mpps]
        entries = [key_mark(name, index) for index, name in enumerate(names)]
        grid.key([*entries, key_measured("measured")])
    return grid, names


def keyed(grid):
    return [text.get_text() for legend in grid.whole.legends for text in legend.get_texts()]


def labels(grid):
    return [[text.get_text() for text in axes.texts] for axes in grid.axes.flat]


@pytest.mark.parametrize("columns", [1, 2])
def test_lines_that_end_apart_are_named_there_and_marks_stay_in_the_key(columns):
    grid, names = drawn([2.0, 5.0, 9.0], columns=columns)
    assert labels(grid) == [names] * columns
    assert keyed(grid) == ["measured"]


def test_a_name_stands_at_the_height_of_its_line():
    grid, _ = drawn([2.0, 9.0])
    assert [text.xy[1] for text in grid.axes[0, 0].texts] == pytest.approx([0.2, 0.9])


@pytest.mark.parametrize(
    "case",
    [
        {"ends_mpps": [5.0, 5.01, 5.02, 5.03]},
        {"ends_mpps": [2.0, 9.0], "joined": False},
        {"ends_mpps": [2.123456, 9.123456], "columns": 3, "width_mm": 88},
    ],
    ids=["they end at one place", "no lines", "no room"],
)
def test_a_key_says_it_where_names_have_no_room(case):
    grid, names = drawn(**case)
    assert not any(labels(grid))
    assert keyed(grid) == [*names, "measured"]


@pytest.mark.parametrize("log", [False, True])
def test_gigabits_stand_beside_the_rate_of_one_frame_size(log):
    with styled():
        axes = panels(Layout(rows=1, columns=1)).axes[0, 0]
        axes.plot([1, 2], [0.1, 10.0])
        if log:
            log_axis(axes, "y", Words())
        axes.set_ylim(0.1, 10.0)
        gigabits_axis([axes], pd.Series([64.0, 64.0]), Words())
        axes.figure.draw_without_rendering()
    (second,) = axes.child_axes
    assert second.get_ylim() == pytest.approx((0.1 * 64 * 8e-3, 10.0 * 64 * 8e-3))
    assert second.get_ylabel() == "Gbit/s"
    texts = [tick.get_text() for tick in second.get_yticklabels(which="both")]
    assert not any("$" in text for text in texts)


def test_no_gigabits_where_frame_sizes_differ():
    axes = panels(Layout(rows=1, columns=1)).axes[0, 0]
    gigabits_axis([axes], pd.Series([64.0, 1500.0]), Words())
    assert not axes.child_axes
