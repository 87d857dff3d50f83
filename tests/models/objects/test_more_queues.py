"""Numbers of queues that were not calibrated: planted costs, so that the answer is known."""

from dataclasses import replace
from math import log2

import pytest

from linerate.models.objects import answer_object
from linerate.models.objects.base import POWER_ELSEWHERE, base_costs
from linerate.programs.costs import YARDSTICK, cost_name

from .planted import asked, cost, planted_box, times


def by_queues(datapath, *base_ns):
    """Return a box whose base of sending back is so much with 1, 2, 4, ... queues."""
    costs = {
        cost_name(datapath, "tx", size, 2**place): cost(ns, 1.0)
        for size in (64, 1518) for place, ns in enumerate(base_ns)
    }  # fmt: skip
    return replace(planted_box(), costs={YARDSTICK: cost(100.0), **costs})


def base(box, datapath, queues):
    return base_costs(box, datapath).of("tx", 64, queues)


@pytest.mark.parametrize("datapath", ["xdp_native", "xdp_generic"])
def test_the_base_goes_on_to_grow_by_its_last_power(datapath):
    box = by_queues(datapath, 100.0, 150.0, 300.0)
    assert base(box, datapath, 16).value_ns == pytest.approx(1200.0)
    assert base(box, datapath, 2).value_ns == pytest.approx(150.0)
    assert base(by_queues(datapath, 100.0, 90.0), datapath, 8).value_ns == pytest.approx(90.0)


def test_between_calibrated_numbers_it_lies_between():
    box = by_queues("xdp_native", 100.0, 150.0, 300.0)
    three = base(box, "xdp_native", 3)
    assert three.value_ns == pytest.approx(150.0 * 2.0 ** log2(3 / 2))
    assert three.in_domain
    assert three.deviation_ns == pytest.approx(base(box, "xdp_native", 2).deviation_ns)


def test_of_one_calibrated_queue_the_native_base_stays_and_others_contend():
    for datapath, power in (("xdp_native", 0.0), ("xdp_generic", POWER_ELSEWHERE)):
        four = base(by_queues(datapath, 100.0), datapath, 4)
        assert four.value_ns == pytest.approx(100.0 * 4.0**power)
        assert not four.in_domain


def test_it_is_less_sure_the_further_away():
    box = by_queues("xdp_native", 100.0, 100.0)
    widths = [base(box, "xdp_native", queues).deviation_ns for queues in (2, 4, 8, 16)]
    assert widths == sorted(widths)
    assert widths[1] > 10.0


def test_a_number_that_is_asked_about_is_answered_as_outside():
    answer = answer_object(times(program_ns=60.0), by_queues("xdp_native", 40.0, 40.0),
                           asked(queues=4, link_gbps=100.0))  # fmt: skip
    assert answer.predicted_mpps == pytest.approx(4e3 / 100.0)
    assert not answer.in_domain
    assert "outside what was calibrated: verdict, frame size or number of queues" in str(answer)


def test_where_none_that_was_calibrated_does_the_fewest_that_would_are_named():
    box = by_queues("xdp_native", 40.0, 40.0)
    none = answer_object(times(program_ns=300.0), box, asked())
    assert (none.queues, none.sustains) == (2, False)
    assert none.queues_needed is not None
    assert none.queues_needed >= 6, "5.06 queues would do if all were sure"
    assert f"; {none.queues_needed} would do, by extrapolation" in str(none)
    assert answer_object(times(program_ns=1e6), box, asked()).queues_needed is None
    assert answer_object(times(program_ns=300.0), box, asked(queues=2)).queues_needed is None
    assert answer_object(times(program_ns=5.0), box, asked()).queues_needed == 1
