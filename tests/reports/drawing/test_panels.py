"""Panels of paths and queues: no more than a page has room for, and what is left out is said."""

import itertools

import pandas as pd
import pytest

from linerate.reports.drawing.page import Page, on_page
from linerate.reports.drawing.paths import PANELS_MAX, by_path_and_queues, panels_left_out
from linerate.reports.language import Words


def rows_of(programs, queues):
    cells = itertools.product(range(programs), range(1, queues + 1))
    return pd.DataFrame([("xdp_native", f"program_{n}", count) for n, count in cells],
                        columns=["datapath", "program", "queues"])  # fmt: skip


@pytest.mark.parametrize("width_mm", [88, 180])
def test_eight_queues_of_ten_programs_find_room(width_mm):
    table = rows_of(10, 8)
    with on_page(Page(width_mm=width_mm)):
        grid, found = by_path_and_queues(table, Words())
    assert len(found) == PANELS_MAX == grid.axes.size
    assert {int(rows["queues"].iloc[0]) for _, rows in found} == {1, 8}
    grid.whole.draw_without_rendering()
    boxes = [box for axes, _ in found if (box := axes.get_tightbbox()) is not None]
    assert len(boxes) == PANELS_MAX
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    (output,) = panels_left_out(table, Words())
    assert output.startswith(f"{PANELS_MAX} of 80 panels are drawn")


def test_panels_that_have_room_are_all_drawn_and_nothing_is_said():
    table = rows_of(4, 4)
    assert len(by_path_and_queues(table, Words())[1]) == PANELS_MAX
    assert not list(panels_left_out(table, Words()))
