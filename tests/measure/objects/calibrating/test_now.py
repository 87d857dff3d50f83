"""Base costs as of now: one hook's, by a program that only drops."""

from math import nan
from pathlib import Path

import pytest
from tests.models.objects.planted import box_of, cost, planted_box

from linerate.face.fits.notes import note_of_calibration
from linerate.measure.objects.calibrating import now
from linerate.measure.objects.calibrating.own_box import OwnBox
from linerate.programs.costs import YARDSTICK, cost_name

NATIVE = cost_name("xdp_native", "tx", 1518, 2)
GENERIC = cost_name("xdp_generic", "tx", 64, 1)


@pytest.fixture
def box():
    return box_of({**planted_box().costs, GENERIC: cost(300.0)})


def silent(part, done, of):
    pass


@pytest.mark.root
def test_all_of_a_hook_becomes_slower_by_what_its_empty_program_did(box):
    found = now.box_now(box, "xdp_native", silent)
    was, became = box.costs[NATIVE], found.box.costs[NATIVE]
    assert found.ratio > 0
    assert became.value_ns == pytest.approx(found.ratio * was.value_ns)
    assert became.upper_ns - became.lower_ns == pytest.approx(
        found.ratio * (was.upper_ns - was.lower_ns)
    )
    assert found.box.costs[GENERIC] == box.costs[GENERIC], "another hook's"
    assert found.box.costs[YARDSTICK].value_ns != box.costs[YARDSTICK].value_ns


@pytest.mark.root
def test_a_host_that_stalls_all_the_time_leaves_the_calibration(box, monkeypatch):
    monkeypatch.setattr(now, "unstalled_ns", lambda send: nan)
    found = now.box_now(box, "xdp_native", silent)
    assert found.box == box
    assert "the host stalled" in note_of_calibration(kept(box), found)


@pytest.mark.parametrize(("ratio", "words"), [(1.07, "7% more now"), (0.9, "10% less now")])
def test_an_answer_says_what_has_come_of_the_calibration(box, ratio, words):
    note = note_of_calibration(kept(box), now.BoxNow(box=box, ratio=ratio))
    assert "box.toml, measured 2.5 h ago" in note
    assert words in note


def kept(box):
    return OwnBox(box=box, path=Path("box.toml"), age_hours=2.5)
