"""Base costs as of now: one hook's, by a program that only drops."""

import re
from dataclasses import replace
from math import log
from pathlib import Path

import pytest
from tests.models.objects.planted import box_of, cost, planted_box

from linerate.face.fits.notes import note_of_calibration
from linerate.measure.objects.calibrating import recheck
from linerate.measure.objects.calibrating.own_box import OwnBox
from linerate.programs.costs import YARDSTICK, cost_name

TRIED = cost_name("xdp_native", "tx", 64, 1)
NATIVE = cost_name("xdp_native", "tx", 1518, 2)
GENERIC = cost_name("xdp_generic", "tx", 64, 1)


@pytest.fixture
def box():
    return box_of({**planted_box().costs, GENERIC: cost(300.0)})


def silent(part, done, of):
    pass


@pytest.mark.root
def test_all_of_a_hook_becomes_slower_by_what_its_empty_program_did(box):
    found = recheck.rechecked_box(box, "xdp_native", [recheck.look_at("xdp_native", silent)])
    was, became = box.costs[NATIVE], found.box.costs[NATIVE]
    assert found.ratio > 0
    assert became.value_ns == pytest.approx(found.ratio * was.value_ns)
    assert became.upper_ns - became.lower_ns == pytest.approx(
        found.ratio * (was.upper_ns - was.lower_ns)
    )
    assert found.box.costs[GENERIC] == box.costs[GENERIC], "another hook's"
    assert found.box.costs[YARDSTICK].value_ns != box.costs[YARDSTICK].value_ns


def look(box, ran, yardstick=1.0):
    """Look at a hook that takes so much more than calibrated, load by load."""
    usual_ns = box.costs[TRIED].value_ns
    return recheck.Look(ran_ns=tuple(ratio * usual_ns for ratio in ran),
                    yardstick_ns=yardstick * box.costs[YARDSTICK].value_ns)  # fmt: skip


@pytest.mark.parametrize(
    ("second", "ratio", "yardstick"), [(1.2, 1.2, 1.1), (1.0, 1.0, 1.0), (0.9, 1.0, 1.0)]
)
def test_a_change_counts_as_far_as_both_looks_show_it(box, second, ratio, yardstick):
    looks = [look(box, [1.2] * 5, 1.1), look(box, [second] * 5, yardstick)]
    found = recheck.rechecked_box(box, "xdp_native", looks)
    assert found.ratio == pytest.approx(ratio, rel=0.02)
    speed = found.box.costs[YARDSTICK].value_ns / box.costs[YARDSTICK].value_ns
    assert speed == pytest.approx(yardstick)
    assert found.deviation == pytest.approx(0.5 * log(1.2), rel=0.1), "it may happen again"


def test_loads_that_differ_make_an_answer_less_sure(box):
    steady, unsteady = (
        recheck.rechecked_box(box, "xdp_native", [look(box, ran)] * 2).deviation
        for ran in ([0.99, 1.0, 1.0, 1.0, 1.01], [0.8, 1.0, 1.0, 1.0, 1.2])
    )
    assert steady < 0.01
    assert unsteady > 0.1


def test_a_host_that_stalls_in_all_of_a_look_leaves_the_calibration(box):
    found = recheck.rechecked_box(box, "xdp_native", [look(box, [1.2] * 5), look(box, [])])
    assert found.box == box
    assert "the host stalled" in note_of_calibration(kept(box), found)


@pytest.mark.parametrize(
    ("ratio", "deviation", "words"),
    [
        (1.07, 0.01, "takes 7% more now, which is counted in$"),
        (0.998, 0.01, "takes as long now$"),
        (0.9, 0.06, "takes 10% less now, .* unsteady"),
    ],
)
def test_an_answer_says_what_has_come_of_the_calibration(box, ratio, deviation, words):
    note = note_of_calibration(
        kept(box), recheck.RecheckedBox(box=box, ratio=ratio, deviation=deviation)
    )
    assert "box.toml, measured 2.5 h ago" in note
    assert re.search(words, note)


def kept(box):
    return OwnBox(box=box, path=Path("box.toml"), age_hours=2.5)


def test_what_was_measured_for_this_question_was_measured_just_now(box):
    young = replace(kept(box), age_hours=0.01)
    assert (young.measured, kept(box).measured) == ("measured just now", "measured 2.5 h ago")
